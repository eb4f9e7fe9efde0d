// @ts-check
// Globals of Node that JavaScript does not define, as sources that are evaluated inside a virtual machine. Each is
// loaded only if the code mentions it.

const timerGlobals = `
  const callbacks = new Map()
  let lastTimer = 0
  const timer = (repeats) => (callback, ms, ...args) => {
    if (typeof callback !== 'function') throw new TypeError('The callback must be a function.')
    const id = ++lastTimer
    const delay = Math.min(Math.max(Number(ms) || 0, repeats ? 1 : 0), 2147483647)
    callbacks.set(id, { callback, args, delay, repeats })
    host.wait(id, delay)
    return id
  }
  const clear = (id) => {
    if (callbacks.delete(id)) host.clear(id)
  }
  fire.timer = (id) => {
    const it = callbacks.get(id)
    if (!it) return
    if (it.repeats) host.wait(id, it.delay)
    else callbacks.delete(id)
    it.callback(...it.args)
  }
  globalThis.setTimeout = timer(false)
  globalThis.setInterval = timer(true)
  globalThis.setImmediate = (callback, ...args) => globalThis.setTimeout(callback, 0, ...args)
  globalThis.clearTimeout = globalThis.clearInterval = globalThis.clearImmediate = clear
`

const abortGlobals = `
  globalThis.AbortSignal = class AbortSignal {
    aborted = false
    reason = undefined
    onabort = null
    #listeners = new Set()
    addEventListener(type, listener) { if (type === 'abort') this.#listeners.add(listener) }
    removeEventListener(type, listener) { this.#listeners.delete(listener) }
    throwIfAborted() { if (this.aborted) throw this.reason }
    static abort(reason) { const it = new AbortController(); it.abort(reason); return it.signal }
    static timeout(ms) {
      const it = new AbortController()
      setTimeout(() => it.abort(new DOMException('The operation timed out.', 'TimeoutError')), ms)
      return it.signal
    }
    static end(signal, reason) {
      if (signal.aborted) return
      signal.aborted = true
      signal.reason = reason ?? new DOMException('This operation was aborted', 'AbortError')
      for (const it of [signal.onabort, ...signal.#listeners]) if (it) it.call(signal, { type: 'abort', target: signal })
    }
  }
  const { end } = globalThis.AbortSignal
  delete globalThis.AbortSignal.end
  globalThis.AbortController = class AbortController {
    signal = new AbortSignal()
    abort(reason) { end(this.signal, reason) }
  }
`

const fetchGlobals = `
  const valueOf = (it) => String(it).trim()
  class Headers {
    #map = new Map()
    constructor(given = {}) {
      const entries = given instanceof Headers ? given.entries() : typeof given?.[Symbol.iterator] === 'function' ? given : Object.entries(given ?? {})
      for (const [name, value] of entries) this.append(name, value)
    }
    append(name, value) { const key = String(name).toLowerCase(); this.#map.set(key, this.#map.has(key) ? this.#map.get(key) + ', ' + valueOf(value) : valueOf(value)) }
    set(name, value) { this.#map.set(String(name).toLowerCase(), valueOf(value)) }
    get(name) { return this.#map.get(String(name).toLowerCase()) ?? null }
    has(name) { return this.#map.has(String(name).toLowerCase()) }
    delete(name) { this.#map.delete(String(name).toLowerCase()) }
    forEach(callback, self) { for (const [name, value] of this) callback.call(self, value, name, this) }
    keys() { return this.#map.keys() }
    values() { return this.#map.values() }
    entries() { return this.#map.entries() }
    [Symbol.iterator]() { return this.#map.entries() }
  }
  const decode = (bytes) => new TextDecoder().decode(bytes)
  const bytesOf = (body) => {
    if (body === undefined || body === null) return new Uint8Array()
    if (typeof body === 'string') return new TextEncoder().encode(body)
    if (body instanceof Uint8Array) return body
    if (body instanceof ArrayBuffer) return new Uint8Array(body)
    if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    if (body instanceof URLSearchParams) return new TextEncoder().encode(body.toString())
    throw new TypeError('A body must be a text, bytes or URLSearchParams.')
  }
  class Body {
    bodyUsed = false
    constructor(body) { Object.defineProperty(this, 'rawBody', { value: bytesOf(body) }) }
    #take() {
      if (this.bodyUsed) throw new TypeError('Body is unusable: Body has already been read')
      this.bodyUsed = true
      return this.rawBody
    }
    async text() { return decode(this.#take()) }
    async json() { return JSON.parse(decode(this.#take())) }
    async arrayBuffer() { return this.#take().slice().buffer }
    async bytes() { return this.#take().slice() }
  }
  class Request extends Body {
    constructor(input, init = {}) {
      const from = input instanceof Request ? input : undefined
      const body = init.body ?? from?.rawBody
      super(body)
      this.url = from ? from.url : String(input)
      this.method = String(init.method ?? from?.method ?? 'GET').toUpperCase()
      this.headers = new Headers(init.headers ?? from?.headers)
      this.signal = init.signal ?? from?.signal
      if (body instanceof URLSearchParams && !this.headers.has('content-type')) this.headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
      if (typeof body === 'string' && !this.headers.has('content-type')) this.headers.set('content-type', 'text/plain;charset=UTF-8')
    }
  }
  class Response extends Body {
    constructor(body, init = {}) {
      super(body)
      this.status = init.status ?? 200
      this.statusText = init.statusText ?? ''
      this.headers = new Headers(init.headers)
      this.url = init.url ?? ''
      this.redirected = false
      this.type = 'basic'
    }
    clone() { return new Response(this.rawBody, this) }
    get ok() { return this.status >= 200 && this.status < 300 }
    static json(value, init = {}) { return new Response(JSON.stringify(value), { ...init, headers: { 'content-type': 'application/json', ...init.headers } }) }
  }
  const asked = new Map()
  let lastRequest = 0
  fire.reply = (id, text) => {
    const it = asked.get(id)
    if (!it) return
    asked.delete(id)
    const { error, url, status, headers, body } = JSON.parse(text)
    if (error !== undefined) return it.reject(new TypeError('fetch failed: ' + error))
    const bytes = Uint8Array.from(atob(body), (char) => char.charCodeAt(0))
    it.resolve(new Response(bytes, { url, status, headers }))
  }
  const base64 = (bytes) => {
    let text = ''
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
    return btoa(text)
  }
  globalThis.fetch = (input, init) =>
    new Promise((resolve, reject) => {
      const request = new Request(input, init)
      if ((request.method === 'GET' || request.method === 'HEAD') && request.rawBody.length > 0) throw new TypeError('Request with GET/HEAD method cannot have body.')
      const { signal } = request
      if (signal?.aborted) return reject(signal.reason)
      const id = ++lastRequest
      asked.set(id, { resolve, reject })
      signal?.addEventListener('abort', () => { if (asked.delete(id)) { host.forget(id); reject(signal.reason) } })
      host.ask(id, JSON.stringify({ url: new URL(request.url).href, method: request.method, headers: Object.fromEntries(request.headers), body: base64(request.rawBody) }))
    })
  Object.assign(globalThis, { Headers, Request, Response })
`

const cloneGlobals = `
  globalThis.structuredClone = (value) => {
    const seen = new Map()
    const copy = (it) => {
      if (typeof it === 'function' || typeof it === 'symbol') throw new DOMException(String(it) + ' could not be cloned.', 'DataCloneError')
      if (typeof it !== 'object' || it === null) return it
      if (seen.has(it)) return seen.get(it)
      const keep = (made) => (seen.set(it, made), made)
      if (it instanceof Date) return keep(new Date(it))
      if (it instanceof RegExp) return keep(new RegExp(it))
      if (it instanceof ArrayBuffer) return keep(it.slice())
      if (ArrayBuffer.isView(it)) return keep(new it.constructor(it.buffer.slice(it.byteOffset, it.byteOffset + it.byteLength)))
      if (it instanceof Map) { const made = keep(new Map()); for (const [key, one] of it) made.set(copy(key), copy(one)); return made }
      if (it instanceof Set) { const made = keep(new Set()); for (const one of it) made.add(copy(one)); return made }
      if (it instanceof Error) { const made = keep(new it.constructor(it.message)); made.stack = it.stack; return made }
      const made = keep(Array.isArray(it) ? [] : {})
      for (const key of Object.keys(it)) Object.defineProperty(made, key, { value: copy(it[key]), writable: true, enumerable: true, configurable: true })
      return made
    }
    return copy(value)
  }
`

const bufferGlobals = String.raw`
  const binary = (text) => Uint8Array.from(text, (char) => char.charCodeAt(0) & 255)
  const readers = {
    utf8: (text) => new TextEncoder().encode(text),
    hex: (text) => Uint8Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], (pair) => parseInt(pair, 16)),
    base64: (text) => binary(atob(text.replace(/-/g, '+').replace(/_/g, '/').replace(/[^A-Za-z0-9+/]/g, ''))),
    latin1: binary,
  }
  const chars = (bytes) => {
    let text = ''
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
    return text
  }
  const writers = {
    utf8: (bytes) => new TextDecoder().decode(bytes),
    hex: (bytes) => Array.from(bytes, (it) => it.toString(16).padStart(2, '0')).join(''),
    base64: (bytes) => btoa(chars(bytes)),
    base64url: (bytes) => btoa(chars(bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, ''),
    latin1: chars,
  }
  const named = (table, encoding = 'utf8') => {
    const name = String(encoding).toLowerCase().replace('utf-8', 'utf8').replace(/^(binary|ascii)$/, 'latin1')
    const found = table[name] ?? (name === 'base64url' ? table.base64 : undefined)
    if (!found) throw new TypeError('Unknown encoding: ' + encoding)
    return found
  }
  globalThis.Buffer = class Buffer extends Uint8Array {
    static from(value, encoding, length) {
      if (typeof value === 'string') return new Buffer(named(readers, encoding)(value))
      if (value instanceof ArrayBuffer) return new Buffer(value, encoding, length)
      return new Buffer(Array.isArray(value?.data) ? value.data : value)
    }
    static alloc(size, fill = 0) { return new Buffer(size).fill(fill) }
    static concat(list) {
      const whole = new Buffer(list.reduce((sum, it) => sum + it.length, 0))
      let at = 0
      for (const it of list) { whole.set(it, at); at += it.length }
      return whole
    }
    static isBuffer(value) { return value instanceof Buffer }
    static byteLength(value, encoding) { return typeof value === 'string' ? named(readers, encoding)(value).length : value.byteLength }
    toString(encoding, start = 0, end = this.length) { return named(writers, encoding)(this.subarray(start, end)) }
    toJSON() { return { type: 'Buffer', data: Array.from(this) } }
    equals(other) { return this.length === other.length && this.every((it, at) => it === other[at]) }
  }
`

/**
 * Source of JSON for large integers, which are `bigint` in code. The functions of the host read them from marked texts
 * and write their digits. `JSON.stringify` of code does too, because the original fails for a `bigint`.
 */
export const exactJson = `((explain) => {
  const { parse, stringify } = JSON
  const { defineProperty } = Object
  const exact = (value, replacer, space) => {
    try {
      return stringify(value, replacer, space)
    } catch (error) {
      const mark = 'digits' + Math.random() + ':'
      let hasLarge = false
      const names = Array.isArray(replacer) ? new Set(replacer.map(String)) : undefined
      const text = stringify(value, function (key, it) {
        if (names && key !== '' && !Array.isArray(this) && !names.has(key)) return undefined
        const item = typeof replacer === 'function' ? replacer.call(this, key, it) : it
        if (typeof item !== 'bigint') return item
        hasLarge = true
        return mark + item
      }, space)
      if (!hasLarge) throw error
      return text.replace(new RegExp('"' + mark.replace('.', '[.]') + '(-?[0-9]+)"', 'g'), '$1')
    }
  }
  JSON.parse = function parse_(text, reviver) {
    try {
      return parse(text, reviver)
    } catch (error) {
      const message = error instanceof SyntaxError ? explain(String(text)) : ''
      if (message !== '') defineProperty(error, 'message', { value: message, writable: true, configurable: true })
      throw error
    }
  }
  defineProperty(JSON.parse, 'name', { value: 'parse' })
  JSON.stringify = function stringify(value, replacer, space) { return exact(value, replacer, space) }
  return {
    parse: (text, mark) =>
      mark === ''
        ? parse(text)
        : parse(text, (_, it) => (typeof it === 'string' && it.startsWith(mark) ? BigInt(it.slice(mark.length)) : it)),
    stringify: exact,
  }
})`

const intlGlobals = `
  const ask = (...request) => {
    const { value, error } = JSON.parse(host.intl(JSON.stringify(request)))
    if (error) throw new (error.name === 'RangeError' ? RangeError : TypeError)(error.message)
    return value
  }
  const encode = (it) => {
    if (it === undefined) return {}
    if (typeof it === 'bigint') return { bigint: String(it) }
    if (typeof it === 'string') return { text: it }
    if (it !== null && typeof it === 'object' && typeof it[Symbol.iterator] === 'function') return { list: Array.from(it, encode) }
    const number = Number(it)
    return { number: Object.is(number, -0) ? '-0' : String(number) }
  }
  const notNull = (it) => {
    if (it === null) throw new TypeError('Cannot convert undefined or null to object')
    return it
  }
  const localesOf = (it) => {
    if (typeof notNull(it) === 'string') return it
    if (typeof it !== 'object') return undefined
    return typeof it[Symbol.iterator] === 'function' ? Array.from(it, String) : String(it)
  }
  const optionsOf = (it) => (it === undefined ? undefined : { ...Object(notNull(it)) })
  const hide = (object, fields) => {
    for (const key of Reflect.ownKeys(fields)) Object.defineProperty(object, key, { value: fields[key], writable: true, configurable: true, enumerable: false })
    return object
  }
  const now = Date.now
  const withoutNew = /^(?:NumberFormat|DateTimeFormat|Collator)$/
  const classOf = (name, methods) => {
    const made = function (locales, options) {
      if (!new.target && !withoutNew.test(name)) throw new TypeError("Constructor Intl." + name + " requires 'new'")
      if (!new.target) return new made(locales, options)
      const given = [name, localesOf(locales) ?? null, optionsOf(options) ?? null]
      ask('create', ...given)
      hide(this, { resolvedOptions: () => ask('options', ...given) })
      for (const method of methods)
        hide(this, {
          [method]: (...args) => {
            if (name === 'DateTimeFormat' && args[0] === undefined && !method.startsWith('formatRange')) args = [now()]
            const value = ask('call', ...given, method, args.map(encode))
            if (method === 'segment') for (const it of value) it.input = String(args[0])
            return method === 'segment' ? hide(value, { containing: (at = 0) => value.findLast((it) => it.index <= at) }) : value
          },
        })
    }
    Object.defineProperty(made, 'name', { value: name })
    Object.defineProperty(made.prototype, Symbol.toStringTag, { value: 'Intl.' + name, configurable: true })
    return hide(made, { supportedLocalesOf: (locales, options) => ask('supportedLocales', name, localesOf(locales) ?? [], optionsOf(options)) })
  }
  class Locale {
    #fields
    constructor(tag, options, change) {
      this.#fields = ask('locale', String(tag), optionsOf(options) ?? null, change ?? null)
      for (const [key, value] of Object.entries(this.#fields)) if (key !== 'tag') hide(this, { [key]: value })
    }
    maximize() { return new Locale(this.#fields.tag, undefined, 'maximize') }
    minimize() { return new Locale(this.#fields.tag, undefined, 'minimize') }
    toString() { return this.#fields.tag }
  }
  const range = ['format', 'formatToParts', 'formatRange', 'formatRangeToParts']
  globalThis.Intl = hide({}, {
    NumberFormat: classOf('NumberFormat', range),
    DateTimeFormat: classOf('DateTimeFormat', range),
    PluralRules: classOf('PluralRules', ['select', 'selectRange']),
    RelativeTimeFormat: classOf('RelativeTimeFormat', ['format', 'formatToParts']),
    ListFormat: classOf('ListFormat', ['format', 'formatToParts']),
    Collator: classOf('Collator', ['compare']),
    DisplayNames: classOf('DisplayNames', ['of']),
    Segmenter: classOf('Segmenter', ['segment']),
    Locale,
    getCanonicalLocales: (locales) => ask('canonicalLocales', localesOf(locales) ?? []),
    supportedValuesOf: (key) => ask('supportedValues', String(key)),
    [Symbol.toStringTag]: 'Intl',
  })
  const { NumberFormat, Collator } = globalThis.Intl
  const toLocaleString = { toLocaleString(locales, options) { return new NumberFormat(locales, options).format(this.valueOf()) } }
  hide(Number.prototype, toLocaleString)
  hide(BigInt.prototype, toLocaleString)
  for (const { prototype } of [Array, Object.getPrototypeOf(Uint8Array)])
    hide(prototype, { toLocaleString(...given) { return Array.from(this, (it) => (it === undefined || it === null ? '' : it.toLocaleString(...given))).join(',') } })
  for (const method of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'])
    hide(Date.prototype, { [method](locales, options) { return ask('dateText', method, String(this.getTime()), localesOf(locales) ?? null, optionsOf(options) ?? null) } })
  for (const method of ['toLocaleUpperCase', 'toLocaleLowerCase'])
    hide(String.prototype, { [method](locales) { return ask('caseText', method, String(this), localesOf(locales) ?? null) } })
  hide(String.prototype, { localeCompare(other, locales, options) { return new Collator(locales, options).compare(String(this), String(other)) } })
`

/**
 * Source of the function that gives errors the messages of V8 when they are created, so that code which catches them
 * sees them too. `translate` gets a message and its place in the code.
 */
export const errorMessages = `((translate) => {
  const { defineProperty } = Object
  Error.prepareStackTrace = (error, sites) => {
    const own = sites.find((it) => it.getFileName() === 'code')
    const message = error.message
    const native = sites.length > 0 && sites[0].isNative() ? sites[0].getFunctionName() : undefined
    // Other objects can be thrown too, and stay as they are.
    const text = typeof message !== 'string' ? message : translate(message, own?.getLineNumber() ?? 0, own?.getColumnNumber() ?? 0, native)
    if (text !== message) defineProperty(error, 'message', { value: text, writable: true, configurable: true })
    return sites
      .map((it) => '    at ' + (it.getFunctionName() || '<anonymous>') + (it.isNative() ? ' (native)' : ' (' + it.getFileName() + ':' + it.getLineNumber() + ':' + it.getColumnNumber() + ')') + '\\n')
      .join('')
  }
})`

/**
 * Globals in the order of their dependencies: the pattern that loads each, and the sources it needs. step-machine.ts repeats the
 * pattern of requests: code that it does not match counts as code without effects.
 */
const sources = /** @type {const} */ ([
  { mention: /\b(?:set|clear)(?:Timeout|Interval|Immediate)\b/, source: timerGlobals },
  { mention: /\bAbort(?:Controller|Signal)\b/, source: abortGlobals, needs: [timerGlobals] },
  // Code without these words is repeated without a question (engine/runs/step-machine.ts).
  { mention: /\b(?:fetch|Headers|Request|Response)\b/, source: fetchGlobals },
  { mention: /\bstructuredClone\b/, source: cloneGlobals },
  { mention: /\bBuffer\b/, source: bufferGlobals },
  { mention: /\bIntl\b|\btoLocale\w*String\b|\btoLocale(?:Upper|Lower)Case\b|\blocaleCompare\b/, source: intlGlobals },
])

/** Returns the globals that a source mentions, as the source of one function; null for none. @param {string} text */
export function guestGlobals(text) {
  const wanted = new Set(
    sources
      .filter(({ mention }) => mention.test(text))
      .flatMap((it) => [...('needs' in it ? it.needs : []), it.source]),
  )
  const parts = [timerGlobals, abortGlobals, fetchGlobals, cloneGlobals, bufferGlobals, intlGlobals].filter((part) =>
    wanted.has(part),
  )
  if (/\bglobal\b/.test(text)) parts.push('globalThis.global = globalThis')
  return parts.length === 0
    ? null
    : `(function (host) { 'use strict'; const fire = {};${parts.map((it) => `{${it}}`).join('\n')}; return fire })`
}

/** Returns the parts of the virtual machine that these globals need. @param {string} text */
export const neededParts = (text) => [
  ...(/\b(?:fetch|Request|Response|Headers|Buffer)\b/.test(text) ? ['encoding'] : []),
  ...(/\b(?:fetch|Request|Response|Headers)\b/.test(text) ? ['url'] : []),
]

/** Source of the function that returns the values at a path of names through lists and objects, as editors offer it. */
export const flattenNestedKeys = `globalThis.flattenNestedKeys = function flat(value, keys) {
  if (Array.isArray(value)) return value.flatMap((it) => flat(it, keys))
  if (keys.length === 0) return [value]
  const [key, ...rest] = keys
  return value !== null && typeof value === 'object' && Object.hasOwn(value, key) ? flat(value[key], rest) : []
}`
