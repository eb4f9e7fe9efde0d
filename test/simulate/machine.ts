import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Answered, type Api, openApi } from '../support/platform/platform-api.ts'

/** Wall time at which every simulation starts, in milliseconds. */
const start = Date.UTC(2027, 2, 1, 9)

/** The machine failed while a request was in progress. */
export class MachineFailed extends Error {}

/** Returns a promise that `fail` settles. */
function createFailure(): { readonly failed: Promise<'failed'>; readonly fail: () => void } {
  let fail: () => void = () => {}
  const failed = new Promise<'failed'>((resolve) => {
    fail = () => resolve('failed')
  })
  return { failed, fail }
}

/**
 * A machine with one or two processes that share a data folder. When it fails, all processes are gone, and what was on
 * its disk at that moment is in another folder, where new processes start.
 */
export class Machine {
  readonly #folder: string
  #data: string
  #processes = new Map<number, Promise<Api>>()
  #nextPid = 1
  /** Ids of the processes that run. */
  #alive = new Set<number>()
  /** Number of provider operations until the machine fails; undefined if it does not. */
  #failAfter: number | undefined
  /** Settles when the machine fails; another one for the machine that follows. */
  #failure = createFailure()
  readonly #log: string[] = []
  #wall = start

  constructor(folder: string, template: string) {
    this.#folder = folder
    this.#data = mkdtempSync(join(folder, 'data-'))
    cpSync(template, this.#data, { recursive: true })
  }

  get dataDir(): string {
    return this.#data
  }

  /** Problems that the processes reported. */
  get log(): readonly string[] {
    return this.#log
  }

  /** Lets a second of wall time pass. */
  tick(): void {
    this.#wall += 1000
  }

  /** Returns one of the processes, starting it if needed. */
  process(index: number): Promise<Api> {
    let process = this.#processes.get(index)
    if (!process) this.#processes.set(index, (process = this.#start()))
    return process
  }

  #start(): Promise<Api> {
    const pid = this.#nextPid++
    this.#alive.add(pid)
    const alive = this.#alive
    return openApi(
      { dataDir: this.#data },
      {
        pid,
        isAlive: (it) => alive.has(it),
        wall: () => this.#wall,
        gate: () => this.#pass(alive),
        log: (text) => void this.#log.push(text),
        privateAddresses: true,
      },
    )
  }

  /** Ends all processes in order. */
  async restart(): Promise<void> {
    const processes = await Promise.all(this.#processes.values())
    this.#processes = new Map()
    for (const process of processes) await process.platform.close()
    this.#alive = new Set()
  }

  /**
   * Runs a request on a machine that fails at a provider operation, before or after the request. @throws MachineFailed
   * when it failed; the outcome is unknown to the caller
   */
  async failDuring(
    trouble: 'crash_before' | 'crash_at_provider' | 'crash_after',
    operations: number,
    body: () => Promise<Answered>,
  ): Promise<Answered> {
    if (trouble === 'crash_before') return this.#lose()
    this.#failAfter = trouble === 'crash_at_provider' ? operations : undefined
    await this.unlessItFails(body).finally(() => {
      this.#failAfter = undefined
    })
    return this.#lose()
  }

  /**
   * Runs a request. @throws MachineFailed when the machine fails before it is answered; the outcome is unknown
   * to the caller
   */
  async unlessItFails(body: () => Promise<Answered>): Promise<Answered> {
    const answer = await Promise.race([body(), this.#failure.failed])
    if (answer === 'failed') throw new MachineFailed()
    return answer
  }

  /** Called at each provider operation. After a failure, a process never continues. */
  async #pass(alive: ReadonlySet<number>): Promise<void> {
    if (alive !== this.#alive) return new Promise(() => {})
    if (this.#failAfter === undefined) return
    this.#failAfter -= 1
    if (this.#failAfter > 0) return
    this.#moveToNewMachine()
    return new Promise(() => {})
  }

  #lose(): never {
    this.#moveToNewMachine()
    throw new MachineFailed()
  }

  /** Copies the disk as it is now. What the old processes still do, they do in the old folder. */
  #moveToNewMachine(): void {
    const next = mkdtempSync(join(this.#folder, 'data-'))
    for (const name of readdirSync(this.#data)) cpSync(join(this.#data, name), join(next, name), { recursive: true })
    const old = this.#data
    const processes = [...this.#processes.values()]
    this.#data = next
    this.#processes = new Map()
    this.#alive = new Set()
    this.#failure.fail()
    this.#failure = createFailure()
    void Promise.all(processes)
      .then((all) => Promise.all(all.map((it) => it.platform.close())))
      .catch(() => {})
      .finally(() => rmSync(old, { recursive: true, force: true }))
  }

  async close(): Promise<void> {
    await this.restart()
    rmSync(this.#data, { recursive: true, force: true })
  }
}
