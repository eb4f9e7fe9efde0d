import { randomBytes } from 'node:crypto'
import { buildRequest } from '../../src/client/requests/build-request.ts'
import type { Endpoint } from '../../src/contract/endpoint/endpoint.ts'
import { createRandom, type SeededRandom } from '../soak/cluster/seeded-random.ts'
import type { Answered } from '../support/platform/platform-api.ts'
import { type Machine, MachineFailed } from './machine.ts'
import type { AccountModel } from './model.ts'
import type { Step, Trouble } from './plan.ts'

/** The world of a simulation: a machine, its accounts, and what their clients know. */
export class World {
  readonly machine: Machine
  readonly accounts: AccountModel[] = []
  /** Contradictions between what clients know and what is there. */
  readonly wrong: string[] = []
  /** Whether injected faults may still refuse requests. */
  hasFaults = false
  /** Numbers that accounts buy. Few, so that several want the same one. */
  numbersForSale: readonly string[] = []
  #names = 0

  constructor(machine: Machine) {
    this.machine = machine
  }

  /** Returns a name that no other resource has. */
  newName(): string {
    this.#names += 1
    return `s${this.#names}`
  }

  /** Calls the control API, which fails only with the machine. */
  async control(method: string, path: string, body?: object): Promise<Answered> {
    return (await this.machine.process(0)).control(method, path, body)
  }
}

/** One step in progress: its random choices, and its requests with the trouble of the step. */
export class StepRun {
  readonly world: World
  readonly random: SeededRandom
  readonly account: AccountModel
  #trouble: Trouble

  constructor(world: World, { roll, trouble }: Step) {
    this.world = world
    this.random = createRandom(roll)
    this.account = this.random.pick(world.accounts)
    this.#trouble = trouble
  }

  /** Returns a key for a request that is sent again until its outcome is known. */
  newKey(): string {
    return randomBytes(8).toString('hex')
  }

  /**
   * Sends a request of an account to one of the processes. The first one of the step has the trouble of the step. Returns
   * undefined when its outcome is unknown.
   */
  async send(
    endpoint: Endpoint,
    input: object,
    { account = this.account, key }: { account?: AccountModel; key?: string } = {},
  ): Promise<Answered | undefined> {
    const trouble = this.#trouble
    this.#trouble = 'none'
    const { machine } = this.world
    machine.tick()
    const { method, url, body } = buildRequest(endpoint, input)
    const index = this.random.between(0, 1)
    const ask = async (): Promise<Answered> =>
      (await machine.process(index)).ask(method, url, {
        key: account.key,
        ...(body !== undefined && { raw: body, headers: { 'content-type': 'application/json' } }),
        ...(key !== undefined && { headers: { 'content-type': 'application/json', 'idempotency-key': key } }),
      })
    try {
      const answer =
        trouble === 'none' || trouble === 'lost'
          ? await machine.unlessItFails(ask)
          : await machine.failDuring(trouble, this.random.between(1, 3), ask)
      return trouble === 'lost' ? undefined : this.#checked(endpoint, answer)
    } catch (error) {
      if (error instanceof MachineFailed) return undefined
      throw error
    }
  }

  /** Reads until no fault refuses it. */
  async read(endpoint: Endpoint, input: object, account = this.account): Promise<Answered> {
    for (let attempt = 0; attempt < 20; attempt++) {
      const answer = await this.send(endpoint, input, { account })
      if (answer?.status === 200) return answer
    }
    throw new Error(`${endpoint.name} never answered 200`)
  }

  /** Records an answer that is not expected, unless an injected fault explains it. */
  complain(what: string, { status, text }: Answered): void {
    if (!this.world.hasFaults) this.world.wrong.push(`${what} answered ${status} ${text}`)
  }

  /** Sends a request under one key until its outcome is known. */
  async sendUntilKnown(endpoint: Endpoint, input: object, account?: AccountModel): Promise<Answered> {
    const key = this.newKey()
    for (;;) {
      const answer = await this.send(endpoint, input, { key, ...(account && { account }) })
      if (answer && answer.status !== 503 && answer.status !== 409) return answer
      await this.world.control('POST', '/control/drain', {})
    }
  }

  #checked(endpoint: Endpoint, answer: Answered): Answered {
    if (answer.status === 500 && !this.world.hasFaults)
      this.world.wrong.push(`${endpoint.name} answered 500: ${answer.text}`)
    return answer
  }
}
