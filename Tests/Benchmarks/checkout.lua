-- For wrk: every user puts a product into the cart, and checks it out a while later. Arguments: the kind of shop, a file
-- with a token per line, and a product's id.
local kind, file, product
local tokens = {}
local count = 0
local lag = 128

function init(arguments)
  kind, file, product = arguments[1], arguments[2], arguments[3]
  for line in io.lines(file) do tokens[#tokens + 1] = line end
  math.randomseed(os.time())
  run = tostring(math.random(1, 1000000000))
end

local function headers(token, key)
  return {["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json", ["Idempotency-Key"] = key}
end

function request()
  local pair = math.floor(count / 2)
  local isAdd = count % 2 == 0
  count = count + 1
  local prefix = kind == "quintet" and "/v1" or ""
  local key = run .. "-" .. count
  if isAdd then
    local id = kind == "quintet" and '"' .. product .. '"' or product
    local body = '{"productID":' .. id .. ',"quantity":1}'
    return wrk.format("POST", prefix .. "/cart/items", headers(tokens[pair % #tokens + 1], key), body)
  end
  local token = tokens[(pair - lag) % #tokens + 1]
  local body = kind == "quintet" and '{"payment":{"provider":"test","token":"test_success"}}' or ""
  return wrk.format("POST", prefix .. "/cart/checkout", headers(token, key), body)
end

local statuses = {}
function response(status) statuses[status] = (statuses[status] or 0) + 1 end

function done(summary, latency)
  io.write(string.format("requests %d seconds %.2f p50 %.1f p99 %.1f\n", summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
