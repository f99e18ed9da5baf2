#!lua name=carryforward_@VERSION@

-- Runs on Redis 7+ and Valkey 8+. All numbers are whole and below 2^53, so doubles hold them exactly.
--
-- Session hash:  g      gauge, struct '<dddBd': seq, used tokens, window the event named (0: none), level, TTL set at (s)
--                m      marks, struct '<ddd': declared window (0: none), threshold and backstop in parts per million
--                agent  the agent that declared it
--                e<id>  one for each event id seen
-- Level: 0 nothing crossed, 1 threshold, 2 backstop. It only rises, and it is the highest of all events whatever their
-- order; the gauge is the event with the greatest (seq, used, window). So every order of delivery, with any
-- repetition, ends in the same state.

-- A key lives for the TTL at least. An EXPIRE for each event would be a fifth of what an event costs the server, so the
-- TTL is set again only when a sixteenth of it has passed, and a sixteenth longer.
local function expire(key, ttl)
  redis.call('EXPIRE', key, ttl + math.ceil(ttl / 16))
end

-- KEYS  queue, crossings, then one session hash for each event
-- ARGV  default window, threshold ppm, backstop ppm, TTL (s), length of the session keys' prefix, then for each event:
--       e<event id>, seq, used tokens, window tokens (0: none named), the queue entry's body
-- Returns one integer for each event: window * 64 + verdict (0 continue, 1 prepare, 2 end_turn)
--                                     + 4 * level crossed by this event + 16 if it is a duplicate
local function judge(keys, args)
  local call, tonumber, pack, unpack = redis.call, tonumber, struct.pack, struct.unpack
  local default_window, default_threshold, default_backstop = tonumber(args[1]), tonumber(args[2]), tonumber(args[3])
  local ttl, prefix_length = tonumber(args[4]), tonumber(args[5])
  local clock = call('TIME')
  local now = tonumber(clock[1])
  local queue, crossings = keys[1], keys[2]
  local out, at = {}, 6
  for i = 3, #keys do
    local key, event_field = keys[i], args[at]
    local stored = call('HMGET', key, 'g', 'm', event_field)

    local seq, used, named, level, ttl_set_at = -1, 0, 0, 0, 0
    if stored[1] then seq, used, named, level, ttl_set_at = unpack('<dddBd', stored[1]) end
    local declared, threshold, backstop = 0, default_threshold, default_backstop
    if stored[2] then declared, threshold, backstop = unpack('<ddd', stored[2]) end
    if declared == 0 then declared = default_window end

    local event_named = tonumber(args[at + 3])
    local event_window = event_named
    if event_named == 0 then event_window = declared end

    local duplicate, crossed = 16, 0
    if not stored[3] then
      duplicate = 0
      local event_seq, event_used = tonumber(args[at + 1]), tonumber(args[at + 2])
      local reached = 0
      if event_used * 1000000 >= backstop * event_window then reached = 2
      elseif event_used * 1000000 >= threshold * event_window then reached = 1 end
      if reached > level then
        -- Only the first crossing asks for a preparation; the score is when, in ms.
        if level == 0 then
          local ms = string.format('%d', now * 1000 + math.floor(clock[2] / 1000))
          call('ZADD', crossings, 'NX', ms, string.sub(key, prefix_length + 1))
        end
        crossed, level = reached, reached
      end
      if event_seq > seq or (event_seq == seq and (event_used > used or (event_used == used and event_named > named)))
      then seq, used, named = event_seq, event_used, event_named end
    end

    local window = named
    if named == 0 then window = declared end
    local verdict = 0
    if used * 1000000 >= backstop * window then verdict = 2 elseif level > 0 then verdict = 1 end

    if duplicate == 0 then
      local renew = (now - ttl_set_at) * 16 >= ttl
      if renew then ttl_set_at = now end
      -- The queue first: an event may be queued twice (storing is idempotent), never be known and not queued.
      call('XADD', queue, '*', 'e', args[at + 4], 'v', verdict, 'w', event_window)
      call('HSET', key, 'g', pack('<dddBd', seq, used, named, level, ttl_set_at), event_field, '')
      if renew then expire(key, ttl) end
    end
    out[i - 2] = event_window * 64 + verdict + crossed * 4 + duplicate
    at = at + 5
  end
  return out
end

-- KEYS  session hash;  ARGV  agent, window tokens (0: not declared), threshold ppm, backstop ppm, TTL (s)
local function declare(keys, args)
  local marks = struct.pack('<ddd', tonumber(args[2]), tonumber(args[3]), tonumber(args[4]))
  redis.call('HSET', keys[1], 'm', marks, 'agent', args[1])
  expire(keys[1], tonumber(args[5]))
  return 1
end

-- KEYS  crossings;  ARGV  least age (ms), limit.  Returns session ids, oldest first; ages by the server's own clock.
local function pending(keys, args)
  local clock = redis.call('TIME')
  local until_ms = clock[1] * 1000 + math.floor(clock[2] / 1000) - tonumber(args[1])
  return redis.call('ZRANGE', keys[1], '-inf', string.format('%d', until_ms), 'BYSCORE', 'LIMIT', 0, args[2])
end

-- KEYS  queue, list of unreadable entries;  ARGV  how many to keep, entry ids.  Moves entries out of the queue's way.
local function set_aside(keys, args)
  local moved = 0
  for i = 2, #args do
    for _, entry in ipairs(redis.call('XRANGE', keys[1], args[i], args[i])) do
      redis.call('RPUSH', keys[2], cmsgpack.pack(entry))
      moved = moved + redis.call('XDEL', keys[1], args[i])
    end
  end
  redis.call('LTRIM', keys[2], -tonumber(args[1]), -1)
  return moved
end

redis.register_function('carryforward_@VERSION@_judge', judge)
redis.register_function('carryforward_@VERSION@_declare', declare)
redis.register_function{function_name='carryforward_@VERSION@_pending', callback=pending, flags={'no-writes'}}
redis.register_function('carryforward_@VERSION@_set_aside', set_aside)
