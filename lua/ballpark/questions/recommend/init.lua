-- recommend{}: ranking with embedding tables.
local contradiction = require("ballpark.questions.inference.contradiction")
local inputs = require("ballpark.questions.inputs")
local tables = require("ballpark.tables")

return {
  name = "recommend",
  title = "ranking with embedding tables",
  inputs = inputs.joined({
    { "model", "name of the catalog (recommenders), totals: ballpark explain recommender, or layers: tables, rows, "
      .. "dim, lookups, dense_features, bottom and top (lists of widths), cross = { layers, rank }, items",
      is = "network", type = "string|table", required = true },
    tables.with(inputs.cluster, { [2] = "made by cluster{}; tables are spread over its devices unless `devices` says "
      .. "fewer" }),
    { "requests", "requests of one call, each of `items` of the model", type = "integer" },
    { "runtime", "and server and load: as for encode{}", is = "either", type = "string|ballpark.runtime" },
    { "server", "who hands the inputs over, as for encode{}", type = "string" },
    { "load", "requests that come: as for encode{}", is = "group", type = "table",
      whole = { "max_batch", "spares" } },
    { "price_usd_h", "USD per device-hour, instead of the cluster's", type = "number" },
  }, inputs.of_kernel("recommend", { batch = true })),
  needs = {
    { "model", such = '"dlrm-dcnv2"' },
    { "cluster.device", such = '"A100"', option = "device", met = inputs.needs.device.met },
  },
  outputs = {
    { "fits", "boolean", "whether the tables fit and replicas meet the SLO" },
    { "out", "ballpark.recommend_out", "of the kernel" },
    { "range", "table<string, ballpark.range>", "80 % ranges of time_s, per_s and requests_per_s" },
    { "fleet", "table|false|nil", "replicas of the load; false where none meet the SLO with batches that fit" },
  },
  command = {
    summary = "Time a recommendation model with embedding tables, and size replicas for a load",
    examples = {
      "ballpark recommend --model dlrm-dcnv2 --device H100 --devices 8 --requests 256",
      "ballpark recommend --model dlrm-dcnv2 --device A100 --devices 4 --rate 20000 --sla 'ms(60)'",
    },
    options = {
      { "model", "model", "Catalog name: ballpark catalog recommenders.", "text" },
      { "device", "cluster.device", "Catalog name.", "text" },
      { "requests", "requests", "Requests of one call; each has the items of the model." },
      { "runtime", "runtime", "tensorrt (the default), compiled, eager, ...: ballpark catalog runtimes.", "text" },
      { "server", "server", "triton or triton_concurrent, in front of it.", "text" },
      { "price", "cluster.price", "USD per device-hour, instead of the catalog's." },
    },
    after = inputs.load_options,
    complete = function(input)
      local cluster = input.cluster
      if cluster then
        cluster.devices = input.devices or require("ballpark.catalog.devices").count_said(cluster.device or "") or 1
      end
    end,
  },
  contradiction = contradiction.sentence,
  reason = contradiction.reason,
}
