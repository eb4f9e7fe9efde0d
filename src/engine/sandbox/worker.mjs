// @ts-check
// Thread of the sandbox. In JavaScript, because a thread is started from its file: the source, or the bundle.
import { readFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { EvalFlags, JSException, QuickJS } from 'quickjs-wasi'
import { isCommonJs, wrapCommonJs } from './common-module.mjs'
import { evaluateSource } from './evaluate-source.mjs'
import { errorMessages, exactJson, flattenNestedKeys, guestGlobals, neededParts } from './guest-globals.mjs'
import { HostEvents } from './host-events.mjs'
import { describeFailure, JobFailure } from './job-failure.mjs'
import { jsonMessage, v8Message } from './v8-messages.mjs'

/** @import { JSValueHandle } from 'quickjs-wasi' */
/** @typedef {{ id: number, kind: 'run' | 'evaluate' | 'check', timeout: number, now: number | null, source: string, inputs: string, mark: string, sources: { kind: string, source: string }[] }} Job */

/** @type {{ wasm: WebAssembly.Module, parts: Record<string, string | Uint8Array>, memory: number, stack: number, largest: number }} */
const { wasm, parts, memory, stack, largest } = workerData

/** Pattern in a source that causes a part to be loaded. */
const partsOf = /** @type {const} */ ([
  ['encoding', /\bText(?:En|De)coder\b/],
  ['url', /\bURL(?:SearchParams)?\b/],
  ['crypto', /\bcrypto\b/],
])
/** @type {Map<string, Promise<WebAssembly.Module>>} */
const loaded = new Map()

/** State of the current job. Jobs run one at a time, so one state is enough. */
const state = {
  deadline: Infinity,
  late: false,
  base: 0,
  began: 0,
  lines: /** @type {string[]} */ ([]),
  job: 0,
  /** Source text of the running code, for the lines of errors. */
  source: '',
  /** Promises that were rejected without a handler, and those of them that got one. */
  rejections: /** @type {{ promise: JSValueHandle, reason: JSValueHandle, isHandled: boolean }[]} */ ([]),
}
const hostEvents = new HostEvents((message) => parentPort?.postMessage({ id: state.job, ...message }))
const timeOf = () => state.base + (performance.now() - state.began)

/** @param {string | Uint8Array} file A file, or the content of one of the executable */
async function load(file) {
  const content = typeof file === 'string' ? await readFile(file) : file
  // The package has these files compressed, because they are large and rarely needed.
  const isCompressed = typeof file !== 'string' || file.endsWith('.br')
  const bytes = isCompressed ? (await import('node:zlib')).brotliDecompressSync(content) : content
  // Node 20 supports the WebAssembly features of these files only with this flag.
  return WebAssembly.compile(bytes).catch(() => {
    setFlagsFromString('--experimental-wasm-extended-const')
    return WebAssembly.compile(bytes)
  })
}

/** @typedef {{ vm: QuickJS, isSame: JSValueHandle, fire?: JSValueHandle | undefined, parse: (text: string, mark: string) => JSValueHandle, stringify: (value: JSValueHandle) => string | null }} Machine */

/** Creates a virtual machine with the parts that `text` mentions. @param {string} text @returns {Promise<Machine>} */
async function createMachine(text) {
  const needed = neededParts(text)
  const wanted = partsOf.filter(([name, mention]) => mention.test(text) || needed.includes(name)).map(([name]) => name)
  const extensions = await Promise.all(
    wanted.map(async (name) => {
      const part = loaded.get(name) ?? load(/** @type {string | Uint8Array} */ (parts[name]))
      loaded.set(name, part)
      return { name, wasm: await part }
    }),
  )
  const vm = await QuickJS.create({
    wasm,
    extensions,
    memoryLimit: memory,
    maxStackSize: stack,
    timezoneOffset: 0,
    wasi: (/** @type {WebAssembly.Memory} */ guest) => ({
      clock_time_get(/** @type {number} */ _clock, /** @type {bigint} */ _precision, /** @type {number} */ at) {
        new DataView(guest.buffer).setBigUint64(at, BigInt(Math.round(timeOf() * 1_000_000)), true)
        return 0
      },
    }),
    onUnhandledRejection: (
      /** @type {JSValueHandle} */ promise,
      /** @type {JSValueHandle} */ reason,
      /** @type {boolean} */ isHandled,
    ) => void state.rejections.push({ promise: promise.dup(), reason: reason.dup(), isHandled }),
    interruptHandler: () => (state.late ||= performance.now() > state.deadline),
    moduleLoader: {
      load(/** @type {string} */ name) {
        throw new Error(`${name} cannot be imported: packages are not available in code steps`)
      },
    },
  })
  // Captured before user code can replace them.
  const machine = { vm, isSame: vm.global.getProp('Object').getProp('is'), ...json(vm) }
  captureConsole(machine)
  const translate = vm.newFunction('translate', (message, line, column, native) => {
    const place = { line: line?.toNumber() ?? 0, column: column?.toNumber() ?? 0 }
    const text = message?.toString() ?? ''
    return vm.newString(
      v8Message(
        text,
        state.source,
        place.line > 0 ? place : undefined,
        native?.isString ? native.toString() : undefined,
      ),
    )
  })
  vm.callFunction(vm.evalCode(errorMessages, 'errors'), vm.undefined, translate)
  // Replaced, because a machine that is reset would repeat the same random numbers.
  vm.global.getProp('Math').setProp(
    'random',
    vm.newFunction('random', () => vm.newNumber(Math.random())),
  )
  const globals = guestGlobals(text)
  const fire =
    globals === null ? undefined : vm.callFunction(vm.evalCode(globals, 'globals'), vm.undefined, hostEvents.host(vm))
  return { ...machine, fire }
}

/** Returns a text from the virtual machine, unless it is too long. @param {JSValueHandle} handle */
function textOf(handle) {
  const length = handle.getProp('length').consume((it) => it.toNumber())
  if (length > largest) throw new JobFailure('size', `The result is larger than ${largest / 1024 / 1024} MB.`)
  return handle.toString()
}

/** @param {QuickJS} vm */
function json(vm) {
  const explain = vm.newFunction('explain', (text) => vm.newString(jsonMessage(text?.toString() ?? '')))
  const exact = vm.callFunction(vm.evalCode(exactJson, 'json'), vm.undefined, explain)
  const parse = exact.getProp('parse')
  const stringify = exact.getProp('stringify')
  return {
    /** @param {string} text @param {string} mark Start of the texts that are large integers; empty if there are none */
    parse: (text, mark) => vm.callFunction(parse, vm.undefined, vm.newString(text), vm.newString(mark)),
    /** Returns null for values that JSON cannot represent. @param {JSValueHandle} value */
    stringify: (value) => {
      const text = vm.callFunction(stringify, vm.undefined, value)
      return text.isString ? textOf(text) : null
    },
  }
}

/** Processes events until the promise is settled. @param {Machine} machine @param {JSValueHandle} promise */
async function settle(machine, promise) {
  const { vm, fire } = machine
  for (;;) {
    vm.executePendingJobs()
    // The rejection of the code itself is its failure.
    if (promise.isPromise && promise.promiseState === 2) return promise
    throwUnhandled(machine)
    if (!promise.isPromise || promise.promiseState !== 0) return promise
    const event = fire && (await hostEvents.next(state.deadline))
    if (event === 'late') state.late = true
    if (event === 'late' || state.late) throw new JobFailure('time', '')
    if (!fire || !event) throw new JobFailure('never', 'The code waits for a promise that never resolves.')
    const text = event.text === undefined ? vm.undefined : vm.newString(event.text)
    vm.callFunction(fire.getProp(event.kind), vm.undefined, vm.newNumber(event.id), text)
  }
}

/** Throws the reason of a rejected promise that nothing handles, as an engine with V8 does. @param {Machine} machine */
function throwUnhandled({ vm, isSame }) {
  const handled = state.rejections.filter((it) => it.isHandled)
  const found = state.rejections.find(
    ({ promise, isHandled }) =>
      !isHandled &&
      !handled.some((rejection) =>
        vm.callFunction(isSame, vm.undefined, rejection.promise, promise).consume((same) => same.toBoolean()),
      ),
  )
  if (!found) return
  state.lines.push('A promise was rejected, and no code handles the error: await it, or add catch().')
  throw new JSException(found.reason)
}

/** @param {Machine} machine @param {JSValueHandle} given */
async function settleValue(machine, given) {
  const { vm } = machine
  const promise = await settle(machine, given)
  if (!promise.isPromise) return promise
  const settled = vm.resolvePromise(promise)
  vm.executePendingJobs()
  const result = await settled
  if ('error' in result) throw new JSException(result.error)
  return result.value
}

const maxLines = 100

/** @param {Machine} machine */
function captureConsole({ vm, stringify }) {
  const object = vm.newObject()
  for (const name of ['log', 'info', 'warn', 'error', 'debug']) {
    const write = vm.newFunction(name, (...values) => {
      const text = () => values.map((it) => (it.isString ? it.toString() : (stringify(it) ?? 'undefined'))).join(' ')
      if (state.lines.length < maxLines) state.lines.push(text().slice(0, 2000))
      return vm.undefined
    })
    object.setProp(name, write)
  }
  vm.setProp(vm.global, 'console', object)
}

/** Evaluates a module and returns its exports. @param {Machine} machine @param {string} source */
async function exportsOf(machine, source) {
  const { vm } = machine
  if (!isCommonJs(source)) return settleValue(machine, evaluateSource(vm, source, EvalFlags.TYPE_MODULE))
  const [module, exports] = [vm.newObject(), vm.newObject()]
  module.setProp('exports', exports)
  return vm.callFunction(evaluateSource(vm, wrapCommonJs(source), EvalFlags.TYPE_GLOBAL), vm.undefined, module, exports)
}

/** @param {Machine} machine @param {Job} job */
async function run(machine, { source, inputs, mark }) {
  const { vm, parse, stringify } = machine
  const given = parse(inputs, mark)
  const code = (await exportsOf(machine, source)).getProp('code')
  if (!code.isFunction) throw new JobFailure('code', 'The code does not export a function named code.')
  const value = await settleValue(machine, vm.callFunction(code, vm.undefined, given))
  return { output: stringify(value), lines: state.lines }
}

/** @param {Machine} machine @param {Job} job */
function evaluate({ vm, parse, stringify }, { sources, inputs, mark }) {
  if (sources.some(({ source }) => source.includes('flattenNestedKeys'))) vm.evalCode(flattenNestedKeys)
  const variables = parse(inputs, mark)
  for (const name of Object.keys(JSON.parse(inputs))) vm.setProp(vm.global, name, variables.getProp(name))
  return sources.map(({ source }) => {
    try {
      const value = vm.evalCode(asExpression(source), 'expression')
      return value.isUndefined || value.isNull ? null : stringify(value)
    } catch (error) {
      if (state.late || error instanceof WebAssembly.RuntimeError || error instanceof JobFailure) throw error
      if (/out of memory/.test(error instanceof Error ? error.message : '')) throw error
      return null
    }
  })
}

/** @param {string} source */
const asExpression = (source) => `(${source.trim().replace(/;+$/, '')}\n)`

/** @param {Machine} machine @param {Job} job */
function check({ vm }, { sources }) {
  return sources.map(({ kind, source }) => {
    try {
      if (kind === 'module' && isCommonJs(source)) vm.evalCode(wrapCommonJs(source), 'code', EvalFlags.COMPILE_ONLY)
      else if (kind === 'module') vm.evalCode(source, 'code', EvalFlags.TYPE_MODULE | EvalFlags.COMPILE_ONLY)
      else vm.evalCode(asExpression(source), 'expression', EvalFlags.COMPILE_ONLY)
      return null
    } catch (error) {
      if (state.late) throw error
      const line = kind === 'module' && error instanceof Error ? /code:(\d+)/.exec(error.stack ?? '')?.[1] : undefined
      return `${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}${line ? ` (line ${line})` : ''}`
    }
  })
}

/**
 * Machine without parts, and its memory before any user code. Restoring that takes a quarter of the time of a new one.
 * The stack comes first in the memory and grows down; its unused part is not restored.
 * From `start` to `data`, it is zero.
 * @typedef {{ machine: Machine, pristine: Uint8Array, start: number, data: number, stackPointer: unknown, uses: number }} Plain
 */
/** @type {Plain | undefined} */
let reusable

/**
 * Limits on memory size and number of uses, after which creating a new machine is better than resetting. A new one takes
 * as long as a hundred jobs.
 */
const maxReusableBytes = 16 * 1024 * 1024
const maxReuses = 20_000
/** Bytes of stack that native functions of the virtual machine may use beyond the limit for code. */
const stackReserve = 128 * 1024

async function reusableMachine() {
  if (!reusable) {
    const machine = await createMachine('')
    const { vm } = machine
    // The library caches these at first use, so they must exist before the memory is copied.
    void [vm.global, vm.undefined, vm.null, vm.true, vm.false]
    const { memory: pristine, stackPointer } = vm.snapshot()
    const unused = Math.max(0, Number(stackPointer) - stack - stackReserve)
    // If something other than the unused stack is there, all of the memory is restored.
    const start = pristine.subarray(0, unused).some((it) => it !== 0) ? 0 : unused
    const used = pristine.subarray(start).findIndex((it) => it !== 0)
    reusable = { machine, pristine, start, data: start + Math.max(0, used), stackPointer, uses: 0 }
  }
  reusable.uses += 1
  return reusable.machine
}

/** Resets the machine after a job. A machine that failed or grew large is discarded. @param {boolean} broken */
function resetMachine(broken) {
  if (!reusable) return
  const room = new Uint8Array(reusable.machine.vm._getMemory().buffer)
  if (broken || reusable.uses >= maxReuses || room.length > maxReusableBytes) {
    reusable = undefined
    return
  }
  // Filling is faster than copying zeros.
  room.fill(0, reusable.start, reusable.data)
  room.set(reusable.pristine.subarray(reusable.data), reusable.data)
  room.fill(0, reusable.pristine.length)
  reusable.machine.vm._getExports().__stack_pointer.value = reusable.stackPointer
}

/** Returns the text of a thrown value that is no error: an object as JSON. @param {Machine} machine @param {JSValueHandle} value */
const thrownText = ({ stringify }, value) =>
  value.isError || (value.isObject && value.getProp('message').isString)
    ? undefined
    : value.isObject
      ? (stringify(value) ?? value.toString())
      : value.toString()

/** @param {Job} job */
async function runJob(job) {
  state.deadline = Infinity
  state.late = false
  state.lines = []
  state.job = job.id
  state.source = isCommonJs(job.source) ? wrapCommonJs(job.source) : job.source
  state.rejections = []
  hostEvents.clear()
  state.base = job.now ?? Date.now()
  state.began = performance.now()
  const text = job.kind === 'check' ? '' : `${job.source}${job.sources.map((it) => it.source).join('')}`
  const isPlain = !partsOf.some(([, mention]) => mention.test(text)) && guestGlobals(text) === null
  let broken = false
  /** @type {Machine | undefined} */
  let machine
  try {
    machine = await (isPlain ? reusableMachine() : createMachine(text))
    state.deadline = performance.now() + job.timeout
    const result =
      job.kind === 'run'
        ? await run(machine, job)
        : job.kind === 'evaluate'
          ? evaluate(machine, job)
          : check(machine, job)
    return { id: job.id, ok: true, result }
  } catch (error) {
    const thrown =
      machine && error instanceof JSException && !state.late ? thrownText(machine, error.handle) : undefined
    const ended = describeFailure(error, { timeout: job.timeout, memory, isLate: state.late, thrown })
    broken = ended.reason !== 'code'
    return { id: job.id, ok: false, ...ended, lines: state.lines }
  } finally {
    state.deadline = Infinity
    state.rejections = []
    hostEvents.clear()
    if (isPlain) resetMachine(broken)
  }
}

parentPort?.on('message', async (/** @type {Job | { reply: { job: number, id: number, text: string } }} */ message) => {
  if (!('reply' in message)) return parentPort?.postMessage(await runJob(message))
  if (message.reply.job === state.job) hostEvents.addReply(message.reply.id, message.reply.text)
})
parentPort?.postMessage({ ready: true })
