-- What is said of the host of an offloading plan.
local catalog = require("ballpark.catalog")
local host = require("ballpark.estimate.host")

local function words(plan, profile, device)
  local cluster = catalog.cluster({ device = "H100", devices = 64 })
  for name, value in pairs(device or {}) do cluster.device[name] = value end
  return host.words({ cluster = cluster, profile = profile or {} }, plan)
end

describe("the host of an offloading plan", function()
  it("is one link for states and activations, and says where its rate is from", function()
    assert.is_nil(words({}))
    assert.is_nil(words({ offload = "none", offload_activations = 0 }))
    local recalled = "copies at 50.4 GB/s each way per device, 80 % (assumed) of the 63 GB/s of its link"
      .. " (recalled from data sheets)"
    for _, plan in ipairs({ { offload = "optimizer" }, { offload_activations = 0.5 } }) do
      assert.is_truthy(words(plan):find(recalled, 1, true))
    end
    assert.is_truthy(words({ offload = "optimizer" }, { host_link = 0.5 }, { host_bytes_s = 1e10 })
      :find("at 5 GB/s each way per device, 50 % of the 10 GB/s of its link;", 1, true))
  end)

  it("has drives where states lie on them", function()
    assert.is_truthy(words({ offload = "optimizer_nvme" }):find("drives at 3 GB/s per device", 1, true))
    assert.is_nil(words({ offload = "optimizer" }):find("drives", 1, true))
  end)
end)
