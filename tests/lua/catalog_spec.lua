-- The catalog of hardware: every entry complete and usable by the core, names forgiven, sources given.
local clusters = require("ballpark.catalog.clusters")
local core = require("ballpark.core")
local curves = require("ballpark.catalog.curves")
local devices = require("ballpark.catalog.devices")
local errors = require("ballpark.errors")
local fabrics = require("ballpark.catalog.fabrics")
local prices = require("ballpark.catalog.prices")

local function message(fn, ...)
  local text = errors.catch(fn, ...)
  assert.is_string(text)
  return text
end

local function each_device(check)
  for _, name in ipairs(devices.names()) do check(devices.get(name), name) end
end

describe("devices", function()
  it("are known by the names that their makers and people give them", function()
    for label, name in pairs({ ["Xeon Platinum 8480+"] = "Xeon-8480+", ["Intel Xeon Gold 6248"] = "Xeon-6248", ["Xeon Gold 6338"] = "Xeon-6338",
      ["Xeon 6 6980P"] = "Xeon-6980P", ["Xeon Gold 6454S"] = "Xeon-6454S", ["Xeon Silver 4410Y"] = "Xeon-4410Y", ["Xeon Platinum 8375C"] = "Xeon-8375C", ["Threadripper PRO 7995WX"] = "Threadripper-7995WX",
      ["AMD Ryzen Threadripper PRO 7995WX"] = "Threadripper-7995WX", ["EPYC 9755"] = "EPYC-9755", ["2 x EPYC 9355"] = "EPYC-9355",
      ["A100 MIG 1g.5gb"] = "A100-40GB-MIG-1g.5gb", ["A100 MIG 1g.10gb"] = "A100-80GB-MIG-1g.10gb", ["H100 MIG 3g.40gb"] = "H100-80GB-MIG-3g.40gb",
      ["Jetson Xavier NX"] = "Jetson-Xavier-NX-8GB", ["Jetson Xavier NX 16GB"] = "Jetson-Xavier-NX-16GB", ["A6000 NVLink"] = "RTX-A6000",
      ["Tesla V100-PCIE-16GB"] = "V100-16GB-PCIe", ["NVIDIA H800 SXM"] = "H800-SXM-80GB", ["H20-3e"] = "H20-141GB",
      ["RTX PRO 6000 Server Edition"] = "RTX-PRO-6000-BSE", ["NVIDIA B100"] = "B100-SXM-192GB", ["GB200 NVL4"] = "GB200",
      ["Tesla K80"] = "Tesla-K80-per-GPU", ["Raspberry Pi"] = "Raspberry-Pi-5", ["Raspberry Pi 4"] = "Raspberry-Pi-4" }) do
      assert.equal(name, devices.get(label).name, label)
    end
    -- A card of two GPUs has half of its 24 GB for each.
    assert.equal(12 * (1 << 30), devices.get("K80").memory_bytes)
  end)

  it("are called what the table of a label is, without that table", function()
    for _, label in ipairs({ "H100", "8x A100", "M3 Max 64GB", "24GB", "2x 24GB", "A100 MIG 1g.5gb", "Raspberry Pi" }) do
      assert.equal(devices.get(label).name, devices.called(label), label)
    end
    for _, label in ipairs({ "H10", "v5e-0", "1000000GB", "" }) do
      assert.is_false(pcall(devices.get, label))
      assert.is_nil(devices.called(label), label)
    end
  end)

  it("have the numbers of their data sheets, dense and per direction", function()
    local h100 = devices.get("H100-SXM-80GB")
    assert.equal(80 * 2 ^ 30, h100.memory_bytes)
    assert.equal(3.35e12, h100.mem_bw_bytes_s)
    assert.equal(989e12, h100.bf16_flop_s)
    assert.equal(1979e12, h100.fp8_flop_s)
    assert.equal(450e9, h100.link_bytes_s)
    assert.equal(50e9, h100.nic_bytes_s)
    assert.equal(8, h100.domain)
    assert.equal(72, devices.get("GB200").domain)
    assert.equal(46068 * 2 ^ 20, devices.get("L40S").memory_bytes)
    assert.is_nil(devices.get("A100").fp8_flop_s)
    local chip, half = devices.get("Trainium1"), devices.get("Trainium1-core")
    assert.equal(chip.bf16_flop_s, 2 * half.bf16_flop_s)
    assert.equal(chip.memory_bytes, 2 * half.memory_bytes)
  end)

  it("say where every number comes from", function()
    each_device(function(device, name)
      assert.is_true(#device.source > 10, name)
      assert.is_table(device.from_memory, name)
      assert.is_true(#device.curves_from > 5, name)
      assert.is_true(#device.gemm16.from > 10, name)
    end)
  end)

  it("can all be used by the kernels", function()
    each_device(function(device, name)
      local dtype = device.has_bf16 == false and "fp16" or "bf16"
      local matmul = core.gemm({ device = device, dtype = dtype, m = 4096, n = 4096, k = 4096 })
      assert.is_true(matmul.util_frac > 0.1 and matmul.util_frac < 1, name .. " " .. matmul.util_frac)
      local attention = core.attention({ device = device, heads = 16, seq_q = 4096 })
      assert.is_true(attention.util_frac > 0.05 and attention.util_frac < 1, name)
    end)
  end)

  it("have a curve for every format they compute in", function()
    each_device(function(device, name)
      for format, peak in pairs({ fp8 = device.fp8_flop_s, int8 = device.int8_flop_s, fp4 = device.fp4_flop_s }) do
        if peak then
          local util = core.gemm({ device = device, dtype = format, m = 8192, n = 8192, k = 8192 }).util_frac
          assert.is_true(util > 0.1 and util <= 1, name .. " " .. format .. " " .. util)
        end
      end
    end)
  end)

  it("are found by the names people use", function()
    local expected = {
      h100 = "H100-SXM-80GB", ["A100 80GB"] = "A100-80GB-SXM", ["a100-40gb"] = "A100-40GB-SXM", B200 = "B200-SXM-180GB",
      MI300X = "MI300X", ["tpu v5p"] = "TPU-v5p", V100 = "V100-16GB-SXM", ["V100-32GB"] = "V100-32GB-SXM",
      ["H100-80GB"] = "H100-SXM-80GB", H800 = "H800-SXM-80GB", ["GH200-480GB(96GB HBM3)"] = "GH200-96GB",
      ["RTX 4090"] = "RTX-4090", ["RTX A6000"] = "RTX-A6000", ["A800-80GB"] = "A800-80GB-SXM",
      ["Ascend 910"] = "Ascend-910B", ["RTX 8000"] = "Quadro-RTX-8000", ["TPU-v3"] = "TPU-v3", ["TPU-v7"] = "TPU-v7-Ironwood",
      ["A100-80GB (330W cap)"] = "A100-80GB-SXM",
      -- What drivers, vendors and tables write around the same names.
      ["NVIDIA H100 80GB HBM3"] = "H100-SXM-80GB", ["NVIDIA B300 SXM6 AC"] = "B300-SXM-288GB", ["NVIDIA A100-SXM4-40GB"] = "A100-40GB-SXM",
      ["Tesla V100-SXM2-32GB"] = "V100-32GB-SXM", ["H100-80GB-SXM5"] = "H100-SXM-80GB",
      ["NVIDIA H100 Tensor Core GPU"] = "H100-SXM-80GB", ["AMD Instinct MI300X"] = "MI300X",
      ["NVIDIA RTX 6000 Ada Generation"] = "RTX-6000-Ada", ["Intel Gaudi 3"] = "Gaudi3",
      ["HGX H200"] = "H200-SXM-141GB", ["B200 192GB"] = "B200-SXM-180GB", ["A100 80G PCIe"] = "A100-80GB-PCIe",
      -- How many, slices and machines.
      ["8xH100"] = "H100-SXM-80GB",
      ["8x A100 80GB"] = "A100-80GB-SXM", ["TPU v4-512"] = "TPU-v4", ["v5p-128"] = "TPU-v5p",
      ["v5litepod-16"] = "TPU-v5e",
      ["p4d.24xlarge"] = "A100-40GB-SXM", ["a3-highgpu-8g"] = "H100-SXM-80GB", ["trn2.48xlarge"] = "Trainium2",
      ["Tesla P100-SXM2-16GB"] = "P100-SXM-16GB", ["TPU v2-8"] = "TPU-v2", ["NVIDIA DGX Spark"] = "GB10",
      ["GeForce RTX 5080"] = "RTX-5080", ["Ascend 910C"] = "Ascend-910C", ["NVIDIA L20"] = "L20",
      ["Jetson AGX Orin 64GB"] = "Jetson-AGX-Orin-64GB", ["AMD Instinct MI100"] = "MI100",
      -- Cards, laptops, chips of Apple, processors and slices, as people write them.
      ["7900 XTX"] = "RX-7900-XTX", ["Radeon RX 6700 XT"] = "RX-6700-XT", ["RTX 3060"] = "RTX-3060-12GB",
      ["4060 Ti 16GB"] = "RTX-4060-Ti-16GB", ["RTX 4090 Laptop"] = "RTX-4090-Laptop", ["M3 Max"] = "M3-Max-40",
      ["Apple M3 Max (40-core GPU) 64GB"] = "M3-Max-40", ["M2 Ultra 192GB"] = "M2-Ultra-76",
      ["M2 Ultra 60c"] = "M2-Ultra-60", ["M3 Max 30-core"] = "M3-Max-30", ["M1 Max 24 cores"] = "M1-Max-24",
      ["Strix Halo"] = "Ryzen-AI-Max+-395", ["Arc A770"] = "Arc-A770-16GB", ["1080 Ti"] = "GTX-1080-Ti",
      ["AMD EPYC 9654"] = "EPYC-9654", ["A100-40GB-MIG-1g.5gb"] = "A100-40GB-MIG-1g.5gb",
      ["AWS Trainium1"] = "Trainium1", ["Trainium1-core"] = "Trainium1-core", ["MI250X (1 GCD)"] = "MI250X-GCD",
      -- Packages of two dies: what software sees is a die.
      ["AMD Instinct MI250X"] = "MI250X-GCD", ["MI250 128GB"] = "MI250-GCD", ["Intel Max 1550"] = "Max-1550-tile",
    }
    for label, name in pairs(expected) do assert.equal(name, devices.resolve(label)) end
    each_device(function(device, name) assert.equal(name, device.name) end)
  end)

  it("of a measured chip's architecture have its curve where they add in fp32 at full rate, and a ceiling where at half", function()
    local measured, sibling, half = devices.get("RTX-PRO-6000-BSE"), devices.get("RTX-PRO-6000-Workstation"),
      devices.get("RTX-5070")
    assert.equal(measured.gemm16.u, sibling.gemm16.u)
    assert.equal(measured.attention.u, sibling.attention.u)
    assert.is_true(half.gemm16.u > measured.gemm16.u)
    assert.equal(sibling.name, devices.get("RTX PRO 6000 Blackwell Workstation Edition").name)
  end)

  it("of a package of two dies are a die each, and a cluster says so", function()
    local cluster = clusters.make({ device = "MI250X", devices = 8 })
    assert.equal(64 * 2 ^ 30, cluster.device.memory_bytes)
    assert.matches("one of the two dies of MI250X", cluster.assumed[1])
    assert.is_nil(table.concat(clusters.make({ device = "MI300X", devices = 8 }).assumed, "; "):find("dies", 1, true))
  end)

  it("are as many as a machine, its size or a slice of a pod says", function()
    local expected = { ["p4d.24xlarge"] = 8, ["p5.4xlarge"] = 1, ["trn2.3xlarge"] = 1, ["g5.12xlarge"] = 4, ["g5.2xlarge"] = 1, ["inf2.48xlarge"] = 12,
      ["a2-highgpu-4g"] = 4, ["DGX H100"] = 8, ["v5litepod-16"] = 16, ["TPU v5e-256"] = 256,
      -- Cores, two in a chip.
      ["TPU v4-512"] = 256, ["v5p-128"] = 64, ["TPU v3-8"] = 4,
      -- Sizes of Google, Azure and Oracle.
      ["g2-standard-48"] = 4, ["a2-megagpu-16g"] = 16, ["Standard_ND96isr_H100_v5"] = 8, ["ND96isr H100 v5"] = 8,
      ["NC24ads_A100_v4"] = 1, ["NC80adis_H100_v5"] = 2, ["ND_MI300X_v5"] = 8, ["BM.GPU.H100.8"] = 8, ["g7e.12xlarge"] = 2,
      ["p3dn.24xlarge"] = 8, ["p3.8xlarge"] = 4 }
    for label, count in pairs(expected) do assert.equal(count, devices.in_machine(label), label) end
    for _, label in ipairs({ "A100", "g5", "TPU-v4", "DGX Spark", "dgx-sparks" }) do assert.is_nil(devices.in_machine(label), label) end
  end)

  it("of a machine are those of its cloud's page", function()
    for label, name in pairs({ ["Standard_NC40ads_H100_v5"] = "H100-NVL-94GB", ["NC24ads_A100_v4"] = "A100-80GB-PCIe",
      ["ND96amsr_A100_v4"] = "A100-80GB-SXM", ["ND96asr_v4"] = "A100-40GB-SXM", ["p3dn.24xlarge"] = "V100-32GB-SXM",
      ["g7e.48xlarge"] = "RTX-PRO-6000-BSE", ["2x p5.48xlarge"] = "H100-SXM-80GB", ["BM.GPU4.8"] = "A100-40GB-SXM" }) do
      assert.equal(name, devices.resolve(label), label)
    end
  end)

  it("of old cards and of processors are known as people call them", function()
    for label, name in pairs({ ["780M"] = "Radeon-780M", ["AMD Radeon 890M"] = "Radeon-890M", ["Tesla M40"] = "Tesla-M40-24GB",
      ["Vega 64"] = "RX-Vega-64", ["Core Ultra 7 258V"] = "Arc-140V", ["Orange Pi 5"] = "RK3588", ["R9700"] = "Radeon-AI-Pro-R9700",
      ["i7-9700K"] = "Core-i7-9700K", ["Ryzen AI 9 HX 370"] = "Ryzen-AI-9-HX-370" }) do
      assert.equal(name, devices.resolve(label), label)
    end
    assert.is_true(devices.get("780M").shared_memory)
  end)

  it("are not those of another memory, or of another machine", function()
    for _, label in ipairs({ "A100 64GB", "H100 64GB", "RTX-PRO-6000 48GB", "p9.24xlarge", "8x", "p5.24xlarge", "v5e-0",
      "ND48isr_H100_v5" }) do
      assert.is_nil(devices.resolve(label), label)
      assert.is_nil(devices.in_machine(label), label)
    end
  end)

  it("of a machine that no cloud has are refused with what is near it", function()
    assert.matches("p5.48xlarge, p5.4xlarge$", devices.missing("p5.24xlarge"))
    assert.matches("nd96isr%-h100%-v5$", devices.missing("ND48isr_H100_v5"))
    assert.matches("series of its cloud are .*p4d", devices.missing("p9.24xlarge"))
    assert.matches("without a chip", devices.missing("TPU v5e-0"))
    for _, label in ipairs({ "p5.48xlarge", "H100", "m5.xlarge", "llama-3.1-8b", "v5e-4" }) do
      assert.is_nil(devices.missing(label), label)
    end
    assert.matches("'p5.24xlarge' is no machine of its series", errors.catch(devices.get, "p5.24xlarge"))
  end)

  it("that share the host's memory have as much of it as their label says", function()
    assert.equal(128 * 2 ^ 30, devices.get("M3 Max").memory_bytes)
    assert.equal(36 * 2 ^ 30, devices.get("M3 Max 36GB").memory_bytes)
    assert.is_nil(devices.resolve("M3 Max 512GB"))
    assert.is_nil(devices.resolve("RTX 4090 12GB"))
  end)

  it("have the peaks of their architecture", function()
    -- GeForce of Ada: 16-bit matmuls with fp32 accumulation at twice the rate of fp32, int8 at eight times.
    local super = devices.get("RTX 4080 Super")
    assert.near(52.22e12, super.fp32_flop_s, 1e9)
    assert.near(104.4e12, super.bf16_flop_s, 1e11)
    assert.near(417.8e12, super.int8_flop_s, 1e12)
    assert.equal(4, devices.get("GTX 1080").int8_flop_s / devices.get("GTX 1080").fp32_flop_s)
    assert.near(8 * 4800e6 * 8, devices.get("Xeon 8480+").mem_bw_bytes_s, 1)
    assert.near(56 * 2.0e9 * 1024, devices.get("Xeon 8480+").bf16_flop_s, 1)
  end)

  it("are joined in pairs by a bridge where cards have one", function()
    local count = 0
    for _, name in ipairs(devices.names()) do
      local card = name:match("^(.*)%-NVLink$")
      if card then
        count = count + 1
        local plain, bridged = devices.get(card), devices.get(name)
        assert.equal(2, bridged.domain, name)
        assert.is_true(bridged.link_bytes_s > 1.5 * plain.link_bytes_s, name)
        for _, field in ipairs({ "memory_bytes", "mem_bw_bytes_s", "bf16_flop_s", "tdp_w", "host_bytes_s", "architecture" }) do
          assert.equal(plain[field], bridged[field], name .. " " .. field)
        end
        assert.near(plain.gemm16.u, bridged.gemm16.u, 1e-12)
      end
    end
    assert.equal(8, count)
    assert.equal("RTX-3090-NVLink", devices.resolve("RTX 3090 NVLink"))
  end)

  it("are slices of what they were cut from", function()
    local whole, slice = devices.get("H100"), devices.get("H100-80GB-MIG-3g.40gb")
    assert.near(3 / 7 * whole.bf16_flop_s, slice.bf16_flop_s, 1)
    assert.near(whole.mem_bw_bytes_s / 2, slice.mem_bw_bytes_s, 1)
    assert.equal(40 * 2 ^ 30, slice.memory_bytes)
    assert.equal("hopper", slice.architecture)
  end)

  it("that are slices are no group", function()
    local slice = devices.get("H100-80GB-MIG-3g.40gb")
    devices.check_group("devices", slice, 1)
    devices.check_group("devices", devices.get("H100"), 8)
    assert.matches("4 slices are no group", message(devices.check_group, "devices", slice, 4), 1, true)
  end)

  it("refuse unknown names with the nearest", function()
    assert.matches("did you mean 'H100'", message(devices.get, "H1000"), 1, true)
    assert.matches("did you mean 'V100-32GB'", message(devices.get, "V100-32"), 1, true) -- no slice of a TPU
    assert.matches("device", message(devices.get, "abacus"), 1, true)
  end)

  it("are copies: changing one changes no other", function()
    local one = devices.get("H100")
    one.gemm16.u, one.memory_bytes = 0.01, 1
    assert.is_true(devices.get("H100").gemm16.u > 0.5)
    assert.equal(80 * 2 ^ 30, devices.get("H100").memory_bytes)
  end)
end)

describe("curves", function()
  local measured = {
    "A100-80GB-SXM", "B200-SXM-180GB", "B300-SXM-288GB", "GB200", "GB300", "H100-SXM-80GB", "H200-SXM-141GB",
  }

  it("of devices with measurements are their own", function()
    for _, name in ipairs(measured) do
      assert.equal("its own measurements", devices.get(name).curves_from)
      assert.matches("left out", devices.get(name).gemm16.from, 1, true)
    end
  end)

  it("of chips of the same kind are the same, of others scaled by their cores", function()
    local h100, h800, h20 = devices.get("H100"), devices.get("H800"), devices.get("H20")
    assert.equal(h100.gemm16.u, h800.gemm16.u)
    assert.equal(h100.gemm16.tiles0, h800.gemm16.tiles0)
    assert.is_true(math.abs(h100.gemm16.tiles0 * 78 / 132 - h20.gemm16.tiles0) < 1e-9)
    assert.matches("^H100%-SXM%-80GB: ", h20.curves_from)
  end)

  it("with a ceiling of their own reach it, and have no power limit on top", function()
    local mi300x = devices.get("MI300X")
    local large = core.gemm({ device = mi300x, m = 65536, n = 65536, k = 8192 }).util_frac
    assert.is_true(math.abs(large - 0.512) < 0.001, tostring(large))
    assert.equal(0, mi300x.gemm16.throttle)
  end)

  it("meet data-centre timings within six percent, shapes left out", function()
    for _, name in ipairs(measured) do
      for format, fit in pairs(curves.gemm[name]) do
        if format ~= "int8" then
          assert.is_true(fit.held_out_median <= 0.06, name .. " " .. format .. " " .. fit.held_out_median)
        end
      end
      local attention = curves.attention[name].bf16
      assert.is_true(attention.held_out_median <= 0.04, name .. " " .. attention.held_out_median)
    end
  end)
end)

describe("prices", function()
  it("are those of a provider, with its source", function()
    local usd_h, source = prices.get("H100-SXM-80GB", "lambda")
    assert.equal(2.99, usd_h)
    assert.matches("Lambda", source, 1, true)
  end)

  it("are the median over providers by default", function()
    assert.equal(3.9, (prices.get("H100-SXM-80GB"))) -- 2.95 2.99 3.90 6.88 10.00
    assert.equal((4.29 + 7.912) / 2, (prices.get("H200-SXM-141GB"))) -- 3.50 4.29 7.912 10.00
    assert.equal(16, (prices.get("GB200")))
  end)

  it("say whose they are, of a device that is another than the catalog's", function()
    local own = devices.get("H100")
    assert.same({ prices.get("H100-SXM-80GB") }, { prices.of(own) })
    own.memory_bytes = own.memory_bytes + (16 << 30)
    local usd_h, source = prices.of(own)
    assert.equal(3.9, usd_h)
    assert.matches("the catalog's H100-SXM-80GB, which has another memory_bytes", source, 1, true)
    assert.is_nil((prices.of({ memory_bytes = 1 << 30 })))
  end)

  it("refuse a decimal comma", function()
    assert.matches("'2,5' is no number: write 2.5", message(prices.get, "H100-SXM-80GB", "2,5"), 1, true)
  end)

  it("are nil where nobody states one, and say so", function()
    local usd_h, source = prices.get("TPU-v3")
    assert.is_nil(usd_h)
    assert.matches("no price", source, 1, true)
  end)

  it("refuse providers that do not sell it", function()
    assert.matches("Lambda", message(prices.get, "H100-SXM-80GB", "Lambada"), 1, true)
    assert.matches("nobody", message(prices.get, "TPU-v3", "AWS"), 1, true)
  end)

  it("belong to devices of the catalog, cheapest first", function()
    local count, providers = 0, {}
    each_device(function(_, name)
      local last = 0
      for _, row in ipairs(prices.all(name)) do
        assert.is_true(row.usd_h >= last and #row.source > 10)
        last, count = row.usd_h, count + 1
        providers[row.provider] = true
      end
    end)
    assert.equal(50, count)
    local kinds = 0
    for _ in pairs(providers) do kinds = kinds + 1 end
    assert.is_true(kinds >= 7)
  end)
end)

describe("fabrics", function()
  local function check(tier, source, name)
    assert.is_true(tier.util > 0.1 and tier.util <= 1, name)
    assert.is_true(tier.alpha_s > 0 and tier.alpha_s < 1e-3, name)
    assert.is_nil(tier.bw_bytes_s)
    assert.is_true(#source > 15, name)
  end

  it("are complete and say what they rest on", function()
    for _, name in ipairs(fabrics.scaleup_names()) do
      local tier, source = fabrics.scaleup(name)
      check(tier, source, name)
    end
    for _, name in ipairs(fabrics.scaleout_names()) do
      local tier, source = fabrics.scaleout(name)
      check(tier, source, name)
    end
  end)

  it("know the link of every device", function()
    each_device(function(device, name) check(fabrics.scaleup(device.link), "known to the fabric table", name) end)
  end)

  it("refuse unknown kinds", function()
    assert.matches("infiniband", message(fabrics.scaleout, "infinband"), 1, true)
    assert.matches("nvlink4", message(fabrics.scaleup, "nvlink44"), 1, true)
    assert.matches("infiniband", message(clusters.make, { device = "H100", devices = 8, fabric = "infinband" }), 1, true)
    for _, rate in ipairs({ -1, 0, 0 / 0, math.huge, "x", true, {} }) do
      assert.matches("cluster.nic_bytes_s: must be a number above 0", message(clusters.make, { device = "H100", devices = 8, nic_bytes_s = rate }), 1, true)
    end
  end)
end)

describe("clusters", function()
  local function all_reduce(cluster, ranks, bytes)
    return core.collective({ network = cluster.network, op = "all_reduce", bytes = bytes, ranks = ranks })
  end

  it("are made from a device and a count, and name what they assumed", function()
    local c = clusters.make({ device = "H100", nodes = 16 })
    assert.equal(128, c.network.devices)
    assert.equal(8, c.network.node_size)
    assert.equal(8, c.network.domain)
    assert.equal("efa", c.network.fabric)
    assert.equal(450e9, c.network.scaleup.bw_bytes_s)
    assert.equal(50e9, c.network.scaleout.bw_bytes_s)
    assert.equal(3.9, c.usd_h)
    local text = table.concat(c.assumed, "\n")
    for _, word in ipairs({ "8 devices in a node", "EFA", "400 Gbit/s", "3.90 USD" }) do
      assert.matches(word, text, 1, true)
    end
  end)

  it("assume nothing that is given", function()
    local c = clusters.make({
      device = "H100", devices = 64, node_size = 8, fabric = "roce", nic_bytes_s = 25e9, price = 2,
    })
    assert.same({}, c.assumed)
    assert.equal(2, c.usd_h)
    assert.equal(25e9, c.network.scaleout.bw_bytes_s)
  end)

  it("keep domains that are larger than a host, and end others with it", function()
    assert.equal(72, clusters.make({ device = "GB200", devices = 144 }).network.domain)
    assert.equal(4, clusters.make({ device = "A100", nodes = 2, node_size = 4 }).network.domain)
    assert.equal(4, clusters.make({ device = "H100", devices = 4 }).network.domain)
    assert.equal(8, clusters.make({ device = "L40S", nodes = 2 }).network.domain) -- PCIe
    assert.equal(16, clusters.make({ device = "V100", nodes = 1, node_size = 16, domain = 16 }).network.domain)
    assert.equal(256, clusters.make({ device = "TPU-v5e", devices = 512 }).network.domain)
  end)

  it("need no network between nodes for one domain", function()
    local c = clusters.make({ device = "H100", nodes = 1 })
    assert.equal(0, c.network.scaleout.bw_bytes_s)
    assert.is_true(all_reduce(c, 8, 1e9).time_s > 0)
  end)

  it("of bridged pairs talk over PCIe inside a node, over NICs between nodes", function()
    local node = clusters.make({ device = "A40", nodes = 1 })
    assert.equal(2, node.network.domain)
    assert.equal("pcie", node.network.fabric)
    assert.equal(31e9, node.network.scaleout.bw_bytes_s)
    assert.equal("efa", clusters.make({ device = "A40", nodes = 2 }).network.fabric)
  end)

  it("take a device table as well as a name", function()
    local own = devices.get("H100")
    own.name, own.link_bytes_s = "H100-slow", 100e9
    local c = clusters.make({ device = own, nodes = 1, price = 1 })
    assert.equal(100e9, c.network.scaleup.bw_bytes_s)
  end)

  it("refuse what cannot be", function()
    assert.matches("did you mean 'nodes'", message(clusters.make, { device = "H100", node = 2 }), 1, true)
    assert.matches("needs devices or nodes", message(clusters.make, { device = "H100" }), 1, true)
    assert.matches("whole number", message(clusters.make, { device = "H100", nodes = 1.5 }), 1, true)
    local odd = { device = "H100", nodes = 2, devices = 20 }
    assert.matches("20 is not 2 nodes of 8", message(clusters.make, odd), 1, true)
    assert.matches("name of a device", message(clusters.make, { nodes = 2 }), 1, true)
    assert.matches("roce", message(clusters.make, { device = "H100", nodes = 2, fabric = "rocee" }), 1, true)
  end)

  it("that are named work in the core, and can be resized", function()
    for _, name in ipairs(clusters.names()) do
      local c = clusters.get(name)
      local ranks = math.min(c.network.devices, 64)
      assert.is_true(all_reduce(c, ranks, 1e9).busbw_bytes_s > 10e9, name)
      assert.equal(name, c.network.name)
    end
    assert.equal(32, clusters.get("DGX-H100-SuperPOD", { nodes = 4 }).network.devices)
    assert.matches("GB200-NVL72", message(clusters.get, "GB200-NVL7"), 1, true)
  end)

  it("reach published bus bandwidths between nodes", function()
    -- stas00/ml-engineering@744d01e18b: 32 ranks on four nodes of AWS P6-B200, 382 GB/s at 16 GiB
    local c = clusters.make({ device = "B200", nodes = 4, fabric = "efa", nic_bytes_s = 50e9 })
    local busbw = all_reduce(c, 32, 17179869184).busbw_bytes_s
    assert.is_true(math.abs(busbw / 381.8e9 - 1) < 0.05, tostring(busbw))
    -- the same at 4 MiB: 18.9 GB/s
    local small = all_reduce(c, 32, 4194304).busbw_bytes_s
    assert.is_true(math.abs(small / 18.9e9 - 1) < 0.15, tostring(small))
  end)
end)
