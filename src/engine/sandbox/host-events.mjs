// @ts-check
import { answerIntl } from './host-intl.mjs'

/** @import { JSValueHandle, QuickJS } from 'quickjs-wasi' */
/** @typedef {{ kind: 'timer' | 'reply', id: number, text?: string }} Event */

/** Maximum number of requests of one run of code, and of pending timers. Published code may need all of them: they do not become less. */
const limits = { requests: 100, timers: 10_000 }

/**
 * External events of the virtual machine: timers and responses. Timers use real time, not that of the platform. sandbox-thread.ts
 * performs the requests and sends their responses back.
 */
export class HostEvents {
  /** Due time of each timer, in milliseconds of `performance.now()`. @type {Map<number, number>} */
  #timers = new Map()
  /** Requests without a response. @type {Set<number>} */
  #pendingRequests = new Set()
  #requests = 0
  /** @type {Event[]} */
  #replies = []
  /** @type {() => void} */
  #wake = () => {}
  #post

  /** @param {(message: { fetch: { id: number, request: string } }) => void} post sends to the parent thread */
  constructor(post) {
    this.#post = post
  }

  /** Removes all timers and requests, between two pieces of code. */
  clear() {
    this.#timers.clear()
    this.#pendingRequests.clear()
    this.#replies = []
    this.#requests = 0
  }

  /** Returns the functions that the globals of the virtual machine use. @param {QuickJS} vm */
  host(vm) {
    const object = vm.newObject()
    /** @param {string} name @param {(...args: JSValueHandle[]) => void} does */
    const add = (name, does) => {
      const fn = vm.newFunction(name, (...args) => {
        does(...args)
        return vm.undefined
      })
      object.setProp(name, fn)
    }
    // The language data of the host, which the engine does not have.
    object.setProp(
      'intl',
      vm.newFunction('intl', (request) => vm.newString(answerIntl(request?.toString() ?? ''))),
    )
    const number = (/** @type {JSValueHandle | undefined} */ it) => it?.toNumber() ?? 0
    add('wait', (id, ms) => {
      if (this.#timers.size >= limits.timers) throw new Error(`Code can have at most ${limits.timers} pending timers.`)
      this.#timers.set(number(id), performance.now() + number(ms))
    })
    add('clear', (id) => void this.#timers.delete(number(id)))
    add('forget', (id) => void this.#pendingRequests.delete(number(id)))
    add('ask', (id, request) => {
      if (++this.#requests > limits.requests) throw new Error(`Code can make at most ${limits.requests} requests.`)
      this.#pendingRequests.add(number(id))
      this.#post({ fetch: { id: number(id), request: request?.toString() ?? '' } })
    })
    return object
  }

  /** @param {number} id @param {string} text */
  addReply(id, text) {
    if (!this.#pendingRequests.delete(id)) return
    this.#replies.push({ kind: 'reply', id, text })
    this.#wake()
  }

  /** Returns the next event, if any. @param {number} deadline @returns {Promise<Event | 'late' | undefined>} */
  async next(deadline) {
    for (;;) {
      const answer = this.#replies.shift()
      if (answer) return answer
      const now = performance.now()
      if (now >= deadline) return 'late'
      const [id, at] = this.#earliest()
      if (id !== undefined && at <= now) {
        this.#timers.delete(id)
        return { kind: 'timer', id }
      }
      if (id === undefined && this.#pendingRequests.size === 0) return undefined
      await this.#sleep(Math.min(at, deadline) - now)
    }
  }

  /** Waits for a number of milliseconds, or until a response arrives. @param {number} ms @returns {Promise<void>} */
  #sleep(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(Math.ceil(ms), 60_000))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** @returns {[number | undefined, number]} */
  #earliest() {
    /** @type {[number | undefined, number]} */
    let found = [undefined, Infinity]
    for (const [id, at] of this.#timers) if (at < found[1]) found = [id, at]
    return found
  }
}
