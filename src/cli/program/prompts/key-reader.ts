import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { realTime } from '../../../node/real-time.ts'
import type { NodeInput } from '../terminal/streams.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: what keys like the arrows, and pasting, send
export const escapeSequences = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?/g
const keyPattern = new RegExp(`${escapeSequences.source}|[^]`, 'gu')

/**
 * Emits the keys of a terminal one by one, each after the screen shows the effect of the previous one. Fast typing and
 * pasting then work like single keys. Keys that arrive in the same chunk after Enter are discarded.
 */
export class KeyReader extends Readable {
  readonly isTTY = true
  readonly #input: NodeInput
  readonly #decoder = new StringDecoder('utf8')
  #waiting: string[] = []
  #isDue = false

  constructor(input: NodeInput) {
    super({ encoding: 'utf8', highWaterMark: 0 })
    this.#input = input
    input.on('data', this.#take)
    input.once('end', this.#end)
  }

  get isRaw(): boolean {
    return this.#input.isRaw === true
  }

  setRawMode(mode: boolean): this {
    this.#input.setRawMode?.(mode)
    return this
  }

  override _read(): void {}

  override pause(): this {
    this.#input.pause()
    return super.pause()
  }

  override resume(): this {
    this.#input.resume()
    return super.resume()
  }

  /** Releases the terminal. */
  close(): void {
    this.#waiting = []
    this.#input.removeListener('data', this.#take)
    this.#input.removeListener('end', this.#end)
    this.#input.pause()
  }

  #take = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk)
    const keys: readonly string[] = text.match(keyPattern) ?? []
    const end = keys.findIndex(isEnter) + 1
    // Ctrl-C takes precedence over pending keys.
    if (keys.includes('\x03')) this.#waiting = ['\x03']
    else this.#waiting.push(...(end > 0 ? keys.slice(0, end) : keys))
    if (!this.#isDue) this.#next()
  }

  #next = (): void => {
    const key = this.#waiting.shift()
    this.#isDue = key !== undefined
    if (key === undefined) return
    this.push(key)
    // A prompt answered with Enter closes a moment later, which discards the pending keys.
    if (isEnter(key)) realTime.setTimeout(this.#next, 10)
    else realTime.setImmediate(this.#next)
  }

  #end = (): void => void this.push(null)
}

const isEnter = (key: string): boolean => key === '\r' || key === '\n'
