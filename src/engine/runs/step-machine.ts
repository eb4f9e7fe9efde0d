import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { stringifyJson } from '../../node/json.ts'
import { getOwn, nodeSettings } from '../definition/node.ts'
import type { RouterBranch } from '../definition/router-branches.ts'
import { type ExpressionScope, type ResolvedValue, resolveExpressions } from '../expressions/resolve-expressions.ts'
import {
  type CodeRequest,
  type CodeResponse,
  type RunOptions,
  type Sandbox,
  SandboxFailure,
} from '../expressions/sandbox.ts'
import { evaluateConditions } from '../pieces/conditions.ts'
import { parseInput } from '../pieces/parse-input.ts'
import type { Action } from '../pieces/piece.ts'
import { done } from '../pieces/piece.ts'
import type { AutomationPorts } from '../pieces/ports.ts'
import { actionOf } from '../pieces/registry.ts'
import type { StepRunner } from '../pieces/step-context.ts'
import { StepFailure } from '../pieces/step-failure.ts'

/** Resolves inputs and finds runners of steps. */
interface StepMachine {
  /** Resolves the expressions in the input of a step. @throws StepFailure */
  resolve(
    value: unknown,
    outputs: Readonly<Record<string, unknown>>,
    account: number,
    options?: RunOptions & Pick<ExpressionScope, 'errors'>,
  ): Promise<ResolvedValue>
  /** Returns the runner of a step. @throws StepFailure for an unknown step */
  getRunner(node: AutomationNode): StepRunner
  /** Returns whether a step has no effect outside its run. */
  isInner(node: AutomationNode): boolean
}

/** Creates the machine that resolves expressions and runs steps, with the connections of accounts. */
export function createStepMachine({
  sandbox,
  connections,
}: { readonly sandbox: Sandbox } & Pick<AutomationPorts, 'connections'>): StepMachine {
  const code = codeRunner(sandbox)
  return {
    resolve: (value, outputs, account, { errors, ...options } = {}) =>
      resolveExpressions(
        value,
        { outputs, errors, connection: (name) => requireSecret(connections, account, name) },
        sandbox,
        { ...options, account },
      ),
    isInner: (node) =>
      node.type === 'BRANCH' ||
      (node.type === 'PIECE' && actionOf(node)?.isInternal === true) ||
      (node.type === 'CODE' && isComputingOnly(node)),
    getRunner(node) {
      if (node.type === 'PIECE') return pieceRunner(node)
      if (node.type === 'CODE') return code
      if (node.type === 'BRANCH') return branch
      if (node.type === 'LOOP_ON_ITEMS') return loop
      throw new StepFailure(`Steps of type ${stringifyJson(node.type)} cannot run.`)
    },
  }
}

/** Returns the secret of an active connection. @throws StepFailure `missing_connection` */
async function requireSecret(
  connections: AutomationPorts['connections'],
  account: number,
  name: string,
): Promise<unknown> {
  const found = await connections.find(account, name)
  if (found.status === 'active') return found.secret
  const what = found.status === 'expired' ? `The connection ${name} has expired.` : `The connection ${name} is missing.`
  throw new StepFailure(what, { classification: 'missing_connection' })
}

function pieceRunner(node: AutomationNode): StepRunner {
  const action = actionOf(node) as Action<unknown> | undefined
  const { pieceName, actionName } = nodeSettings(node)
  if (!action) throw new StepFailure(`${String(pieceName)} has no action ${String(actionName)}.`)
  return async (context) => {
    if (action.connection) await requireSecret(context.ports.connections, context.account, action.connection)
    return action.run(parseInput(action.input, context.input), context)
  }
}

const branch: StepRunner = async ({ input }) => {
  const ways = getOwn(input, 'ways')
  if (Array.isArray(ways)) return done({ branches: evaluateBranches(ways as RouterBranch[]) })
  const decided = getOwn(input, 'decided')
  return done({ condition: typeof decided === 'boolean' ? decided : evaluateConditions(getOwn(input, 'conditions')) })
}

/**
 * Returns the output of a ROUTER: all branches are evaluated, and the fallback is true if no other branch is. Expressions of users
 * and of normalize.ts read its fields, and router-branches.ts the order: neither changes.
 */
function evaluateBranches(ways: readonly RouterBranch[]): readonly object[] {
  const found = ways.map((it) => !it.isFallback && evaluateConditions(it.conditions))
  const isNoneTrue = !found.includes(true)
  return ways.map((way, at) => ({
    branchName: way.branchName,
    branchIndex: at + 1,
    evaluation: way.isFallback ? isNoneTrue : found[at],
  }))
}

/** Returns the list that a loop iterates over. @throws StepFailure if the input has no list */
function requireItems(input: unknown): readonly unknown[] {
  const items = getOwn(input, 'items')
  if (Array.isArray(items)) return items
  throw new StepFailure(
    `items must be a list, not ${items === '' || items === undefined ? 'nothing' : typeof items === 'object' ? 'an object' : `a ${typeof items}`}.`,
  )
}
const loop: StepRunner = async ({ input }) => done({ items: requireItems(input) })

/** Matches code that the sandbox lets send requests. It provides them only if the code mentions one of these: the pattern of engine/sandbox/guest-globals.mjs. */
const requestPattern = /\b(?:fetch|Headers|Request|Response)\b/

/** Whether code steps only compute, by step. A step of a published definition never changes. */
const computingOnly = new WeakMap<AutomationNode, boolean>()

/** Returns whether a code step has no effect outside its run, because it cannot send requests. */
function isComputingOnly(node: AutomationNode): boolean {
  let found = computingOnly.get(node)
  if (found === undefined) {
    found = !requestPattern.test(String(sourceOf(node)))
    computingOnly.set(node, found)
  }
  return found
}

const sourceOf = (node: AutomationNode): unknown => getOwn(getOwn(nodeSettings(node), 'sourceCode'), 'code')

/** Timeout of a request from code, in milliseconds. */
const requestTimeoutMs = 30_000

function codeRunner(sandbox: Sandbox): StepRunner {
  return async ({ account, input, now, signal, log, ports }, node) => {
    const source = sourceOf(node)
    if (typeof source !== 'string') throw new StepFailure('The step has no code.')
    try {
      const fetch = async (request: CodeRequest): Promise<CodeResponse> => {
        const reply = await ports.http.send(
          { ...request, body: request.body.length > 0 ? request.body : undefined, timeout: requestTimeoutMs },
          signal,
        )
        log(`${request.method} ${new URL(request.url).origin}: ${reply.status}`)
        return reply
      }
      const { output, lines } = await sandbox.run(source, input, { account, now: now / 1000, signal, fetch })
      for (const line of lines) log(line)
      return done(output)
    } catch (error) {
      if (!(error instanceof SandboxFailure)) throw error
      for (const line of error.lines) log(line)
      throw new StepFailure(error.message)
    }
  }
}
