import type { Gate } from '../../../client/approvals/gate.ts'
import type { ClientFailure } from '../../../client/failures/client-failure.ts'
import { commandLine } from '../../../client/requests/shell-quote.ts'
import { isLoopback, localPlatform } from '../../../client/transport/platform-address.ts'
import { type ApprovalClass, approvalClass } from '../../../contract/endpoint/approval-class.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { type Command, riskOf } from '../commandline/command.ts'
import { type Agent, describeAgent, detectAgent } from '../configuration/agent-mode.ts'
import type { Approvals } from '../configuration/profiles.ts'
import type { Settings } from '../configuration/settings.ts'
import { platformAt } from '../connection/connect.ts'
import type { Context } from '../context.ts'
import { consentError } from '../errors/usage-error.ts'
import type { Access, System } from '../system.ts'
import type { ApprovalAccess, ApprovalOrigin } from './approvals.ts'

/** What the approvals of one command need. */
export interface ApprovalOptions {
  readonly system: System
  readonly command: Command
  readonly origin: ApprovalOrigin
}

/**
 * Returns which approvals a platform requires: as the profile says; by default those of coding agents, and none on the local
 * platform of this data folder, where agents may practise.
 */
export function approvalsOf(system: System, { profile, baseUrl }: Pick<Settings, 'profile' | 'baseUrl'>): Approvals {
  if (profile.approvals !== undefined) return profile.approvals
  const isLocal =
    baseUrl.value === localPlatform ||
    (isLoopback(baseUrl.value) && platformAt(system, baseUrl.value, baseUrl.value) === localPlatform)
  return isLocal ? 'off' : 'agents'
}

/** Returns whether requests to a platform need approval. PARLEY_AGENT decides only about the output. */
export function requiresApproval(system: System, settings: Pick<Settings, 'profile' | 'baseUrl'>): boolean {
  if (system.access !== undefined) return true
  const approvals = approvalsOf(system, settings)
  return approvals === 'required' || (approvals === 'agents' && detectAgent(system.env) !== undefined)
}

/** What only a command needs that asks for approval, or has it. */
const loadGate = () => import('./gate.ts')

/** Creates the approvals of a command, and the gate of its requests. */
export function createApprovals(
  of: () => Context,
  options: ApprovalOptions,
): { readonly approvals: ApprovalAccess; readonly gate: (settings: Settings, platform: string) => Gate } {
  const { system, command, origin } = options
  const { approved } = origin
  // The text of the last confirmation. The gate of the request that follows stores it for the person, or compares it with what was
  // approved, so the confirmation comes before the request.
  let summary: string | undefined
  const isRequired = async (): Promise<boolean> => requiresApproval(system, await of().settings())
  const notStored = (text: string | undefined): ClientFailure =>
    consentError(
      `${text === undefined ? '' : `${text}\n`}A person must run this command: it cannot be stored for approval.`,
      `Ask a person to run it on a terminal: ${commandLine(origin.words)}`,
    )
  return {
    approvals: {
      origin,
      isRequired,
      async replacesConfirmation(text, endpoint = command.endpoint) {
        summary = text ?? summary
        if (approved) return true
        if (!(await isRequired())) return false
        // The request that follows is stopped by the gate.
        if (endpoint && approvalClass(endpoint, {}) === 'plan') return true
        const risk = riskOf(command)
        if (risk === 'read' || risk === 'write' || origin.hasPlan) return false
        // What only stops something runs at once. The gate stops any other request of the command.
        if (command.reducesHarm) return true
        throw notStored(text)
      },
      async requirePerson(text) {
        const isAgent = system.access !== undefined || detectAgent(system.env) !== undefined
        if (isAgent && (await isRequired())) throw notStored(text)
      },
      async requirePlan(makePlan) {
        if (!approved && !(await isRequired())) return
        const plan = await makePlan()
        origin.hasPlan = true
        // What was approved while it needed approval is compared also when it no longer does.
        if (Object.values(plan.allows).every((it) => it === 0) && approved?.operation.plan.steps === undefined) return
        const { admitPlan, submitPlan } = await loadGate()
        await (approved ? admitPlan(approved, plan) : submitPlan(of(), origin, plan))
      },
    },
    gate: (settings, platform) => async (request) => {
      const needed = approvalClass(request.endpoint, request.input)
      requireAccess(system.access, request.endpoint, needed)
      if (needed === 'none') return undefined
      const agent = detectAgent(system.env)
      const isRequired = requiresApproval(system, settings)
      if (agent && isRequired && needed === 'person') throw personRequired(agent, origin)
      if (needed === 'person' || (!approved && !isRequired)) return undefined
      const { admitRequest, findLiveChange, hasPlanned, submitRequest } = await loadGate()
      const live = needed === 'live' ? await findLiveChange(of(), request.endpoint, request.input) : undefined
      // What was approved while it was live is compared also when it no longer is.
      if (needed === 'live' && live === undefined && !(approved && hasPlanned(approved, request))) return undefined
      requireAccess(system.access, request.endpoint, 'plan')
      return approved
        ? admitRequest(of(), approved, request, { settings, platform, summary, live })
        : submitRequest(of(), origin, request, { settings, platform, summary, live })
    },
  }
}

/**
 * Refuses what is more than another program may send. The hints name the tools of `parley mcp` (serve-tools.ts).
 * @throws ClientFailure exit `consent`
 */
function requireAccess(access: Access | undefined, { name, risk }: Endpoint, needed: ApprovalClass): void {
  if (access === 'read' && risk !== 'read')
    throw consentError(
      `This may only read, and ${name} does more (risk: ${risk}). Nothing was sent.`,
      'Use the tool "write", or "spend" for what a person must approve.',
    )
  if (access === 'write' && needed === 'plan')
    throw consentError(
      `A person must approve this (${name}${risk === 'write' ? ' changes something live' : `, risk: ${risk}`}). Nothing was sent.`,
      'Use the tool "spend", which asks for approval.',
    )
}

/**
 * Rejects a command that a coding agent may not run, such as one that approves its own operations or changes a profile.
 * @throws ClientFailure exit 10; nothing was done
 */
export async function requirePerson(context: Context): Promise<void> {
  const { command, system, globals } = context
  const agent = detectAgent(system.env)
  // Without an endpoint there is no preview: the flags change nothing about what the command does.
  if (!agent || (command.endpoint && (globals.dryRun || globals.printCurl))) return
  const isByPerson = command.endpoint !== undefined && approvalClass(command.endpoint, {}) === 'person'
  if (command.needsPerson || (isByPerson && requiresApproval(system, await context.settings())))
    throw personRequired(agent, context.approvals.origin)
}

/** Returns the failure of what only a person may do: exit `consent`. */
export const personRequired = (agent: Agent, { words }: ApprovalOrigin): ClientFailure =>
  consentError(
    `A person must do this, not ${describeAgent(agent)}. Nothing was sent.`,
    `Ask a person to run it on a terminal: ${commandLine(words)}`,
  )
