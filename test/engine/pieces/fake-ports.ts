import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { nodeInput } from '../../../src/engine/definition/node.ts'
import type { Sandbox } from '../../../src/engine/expressions/sandbox.ts'
import type { AutomationPorts } from '../../../src/engine/pieces/ports.ts'
import type { StepContext, StepOutcome } from '../../../src/engine/pieces/step-context.ts'
import type { HttpRequest, HttpResponse } from '../../../src/engine/ports.ts'
import { createStepMachine } from '../../../src/engine/runs/step-machine.ts'

/** Ports that record their calls and return the given responses. */
export function createFakePorts(answers: Readonly<Record<string, unknown>> = {}) {
  const asked: [string, ...unknown[]][] = []
  const saved = new Map<string, unknown>()
  const port = (name: string): never =>
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          async (...args: unknown[]) => {
            const key = `${name}.${String(method)}`
            asked.push([key, ...args])
            const answer = answers[key]
            return typeof answer === 'function' ? answer(...args) : answer
          },
      },
    ) as never
  const names = [
    'http',
    'mail',
    'sheets',
    'sms',
    'messaging',
    'calls',
    'leads',
    'calendarA',
    'calendarB',
    'crmB',
  ] as const
  const ports: AutomationPorts = {
    ...(Object.fromEntries(names.map((it) => [it, port(it)])) as unknown as AutomationPorts),
    connections: {
      find: async (_, name) => (answers[`connection ${name}`] as never) ?? { status: 'active', secret: {} },
    },
    store: {
      get: async (scope, key) => saved.get(JSON.stringify([scope, key])),
      async change(_, scope, key, change) {
        const at = JSON.stringify([scope, key])
        saved.set(at, change(saved.get(at)))
        return saved.get(at)
      },
    },
  }
  return { ports, asked, saved }
}

export const reply = (status: number, body: unknown, headers: Record<string, string> = {}): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

const noSandbox = { run: () => Promise.reject(new Error('no sandbox')) } as unknown as Sandbox

/** Runs one step whose input is resolved already. */
export function runStep(
  node: AutomationNode,
  fakes: ReturnType<typeof createFakePorts> = createFakePorts(),
  more: Partial<StepContext> = {},
  sandbox: Sandbox = noSandbox,
): Promise<StepOutcome> {
  const context: StepContext = {
    account: 3,
    automation: 'auto',
    run: 'run',
    step: 'step_1',
    attempt: 1,
    key: 'run:step_1',
    input: nodeInput(node),
    now: Date.UTC(2031, 0, 1) * 1000,
    testing: false,
    signal: new AbortController().signal,
    log: () => {},
    ports: fakes.ports,
    ...more,
  }
  const { ports } = fakes
  return Promise.resolve().then(() =>
    createStepMachine({ sandbox, connections: ports.connections }).getRunner(node)(context, node),
  )
}

/** What it gave. */
export async function outputOf(...given: Parameters<typeof runStep>): Promise<unknown> {
  const outcome = await runStep(...given)
  return outcome.output
}

export const sentBy = (fakes: ReturnType<typeof createFakePorts>): HttpRequest => fakes.asked[0]?.[1] as HttpRequest
