-- What our contract says: a base price per device-hour, cheaper from 64 devices on.
return {
  name = "contract price",
  price = function(c) return c.devices >= 64 and 1.95 or 2.40 end,
}
