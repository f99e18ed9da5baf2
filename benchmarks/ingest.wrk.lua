-- wrk's half of ingest_load.py: the same events. `ingest.py` puts `per_request` and `prefix` above this.
local n = 0
local headers = {["content-type"] = "application/json"}
local function event()
  n = n + 1
  local session = math.random(0, 9999)
  local used = math.random(20000, 137999)
  if n % 200 == 0 then used = 141000 end
  return string.format('{"event_id":"msg_%s%016x","session_id":"s-%d","agent_id":"agent-%d","seq":%d,"gauge_tokens":%d,'
    .. '"usage":{"input_tokens":2,"cache_read_input_tokens":%d,"cache_creation_input_tokens":9000,"output_tokens":310},'
    .. '"window_tokens":200000}', prefix, n, session, session % 500, n, used, used - 19000)
end
request = function()
  if per_request == 1 then return wrk.format("POST", nil, headers, event()) end
  local events = {}
  for i = 1, per_request do events[i] = event() end
  return wrk.format("POST", nil, headers, "[" .. table.concat(events, ",") .. "]")
end
