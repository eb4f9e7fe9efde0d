import { resource } from '../endpoint/endpoint.ts'
import { parleyServerOnly } from '../endpoint/endpoint-origins.ts'
import { isoMicros, messageResponse, text, uuid } from '../endpoint/field-schemas.ts'
import * as z from '../schema/schema.ts'

/** A request with the exact text that is sent. */
const PlannedRequest = z.object({
  endpoint: text(100).describe('Name of the endpoint, such as numbers.buy'),
  method: text(10).describe('Method of the request'),
  path: text(8000).describe('Path and query'),
  body: z.string().nullable().describe('The exact body; null without one'),
})
export type PlannedRequest = z.output<typeof PlannedRequest>

/** Several requests of one command, some of which depend on the answers to others. */
const PlannedSteps = z.object({
  content: z.unknown().describe('What the command computed that it will do. It must be equal when the plan runs'),
  allows: z
    .record(z.string(), z.int().min(0))
    .describe('How often each endpoint that needs approval may be called, by its name'),
})
export type PlannedSteps = z.output<typeof PlannedSteps>

/** What a list shows of a plan. */
export const PlanHeading = z.object({
  summary: text(10_000, 1).describe('One sentence for the person'),
  command: z.array(z.string()).describe('The words after parley'),
  folder: text(4000).describe('The folder in which the command runs'),
  profile: text(255).describe('Name of the profile that the command uses'),
  platform: text(2000).describe('embedded:, or the base URL'),
  key_mark: text(100).optional().describe('Beginning of the API key, which identifies the account'),
  maximum_usd: z
    .number()
    .min(0)
    .nullable()
    .optional()
    .describe('The most that it costs in USD: null if that is not known, absent if it spends nothing'),
})
export type PlanHeading = z.output<typeof PlanHeading>

/**
 * What a person approves: a command, everything that it sends, and the most that it can cost. The approval is for the hash of
 * its canonical JSON, and rows have it: fields are added as optional ones, and not renamed.
 */
export const Plan = z.object({
  ...PlanHeading.shape,
  stdin: z.string().optional().describe('Text that the command read from standard input'),
  requests: z.array(PlannedRequest).describe('Requests that each may be sent once, byte for byte'),
  steps: PlannedSteps.optional().describe('What several requests do that depend on each other'),
})
export type Plan = z.output<typeof Plan>

/**
 * `approved` is not started yet. `interrupted` was started and did not end: it can be resumed. `changed` was stopped, because
 * what it would have done was no longer what was approved. Rows have them, except `expired`, which follows from the time.
 */
export const approvalStates = [
  'pending',
  'approved',
  'declined',
  'expired',
  'running',
  'interrupted',
  'done',
  'changed',
] as const
export type ApprovalState = (typeof approvalStates)[number]

/** Outcome of a request of a plan; `open` if it was sent and has none yet. Rows and lines of the journal have them. */
export const requestOutcomes = ['open', 'done', 'refused', 'unknown', 'cancelled'] as const
export type RequestOutcome = (typeof requestOutcomes)[number]

/**
 * How an attempt to run a plan ended. `resumable` if something of it may have been sent and is not settled. Lines of the
 * journal have them, and clients of other versions send them: they never change.
 */
export const runEnds = ['done', 'changed', 'not_sent', 'resumable'] as const
export type RunEnd = (typeof runEnds)[number]

const approvalFields = {
  id: uuid,
  created_at: isoMicros,
  expires_at: isoMicros,
  asked_by: z.string().nullable().describe('The coding agent that asked; null if it was not one'),
  state: z.enum(approvalStates),
  hash: z.string().describe('SHA-256 hash of the canonical JSON of the plan, which an approval is for'),
  decided_at: isoMicros.nullable(),
  reason: z.string().nullable(),
  runner: z.string().nullable().describe('The process that runs it, as it named itself'),
  outcomes: z
    .record(z.string(), z.enum(requestOutcomes))
    .describe('The last outcome of each request that was sent, by its number in the plan'),
}

/** An operation that waits for the decision of a person, or that was decided, with its whole plan. */
export const Approval = z.object({ ...approvalFields, plan: Plan })
export type Approval = z.output<typeof Approval>
/** An operation in a list. */
export const ListedApproval = z.object({ ...approvalFields, plan: PlanHeading })
export type ListedApproval = z.output<typeof ListedApproval>

const params = z.object({ id: uuid.describe('Id of the operation') })
const output = z.object({ data: Approval })
const runner = text(500, 1).describe('Names the process that runs the operation')
const common = {
  ...parleyServerOnly(
    'approvals',
    'Operations that wait for the approval of a person are stored by the platform, and only a key with the scope `approve` decides',
  ),
  status: 200,
  risk: 'write',
} as const

export const approvals = resource('approvals', {
  list: {
    ...common,
    method: 'GET',
    path: '/api/user/approvals',
    summary: 'List operations that wait for the approval of a person, and decided ones, newest first',
    output: z.object({ data: z.array(ListedApproval) }),
    errors: [],
    risk: 'read',
    items: 'data',
  },
  get: {
    ...common,
    method: 'GET',
    path: '/api/user/approvals/{id}',
    summary: 'Show an operation with its whole plan',
    params,
    output,
    errors: ['approvals.not_found'],
    risk: 'read',
    record: 'data',
  },
  create: {
    ...common,
    method: 'POST',
    path: '/api/user/approvals',
    summary: 'Ask a person to approve an operation',
    body: z.object({
      plan: Plan.describe('What the person approves'),
      asked_by: text(255).nullable().describe('The coding agent that asks'),
    }),
    status: 201,
    output,
    errors: ['approvals.too_many'],
    record: 'data',
    // The same plan that still waits is the same operation.
    isRepeatable: true,
  },
  decide: {
    ...common,
    method: 'POST',
    path: '/api/user/approvals/{id}/decision',
    summary: 'Approve or decline an operation',
    params,
    body: z.object({
      decision: z.enum(['approved', 'declined']).describe('The decision of the person'),
      hash: text(64, 64).describe('Hash of the plan that the person read'),
      reason: text(500).nullable().optional().describe('Why, for the agent that asked'),
    }),
    output,
    errors: ['approvals.not_found', 'approvals.not_possible'],
    byPerson: true,
    record: 'data',
  },
  start: {
    ...common,
    method: 'POST',
    path: '/api/user/approvals/{id}/start',
    summary: 'Claim an approved operation for one process',
    params,
    body: z.object({
      runner,
      replaces: text(500).nullable().optional().describe('A process that was running it and has ended'),
    }),
    output,
    errors: ['approvals.not_found', 'approvals.not_possible'],
    record: 'data',
  },
  recordRequest: {
    ...common,
    method: 'POST',
    path: '/api/user/approvals/{id}/requests',
    summary: 'Record that a request of a running operation is sent, or its outcome',
    params,
    body: z.object({
      runner,
      number: z.int().min(-1).describe('Its position in the plan; -1 for one of several steps'),
      outcome: z.enum(requestOutcomes).describe('open when it is sent, then its outcome'),
    }),
    output: messageResponse,
    errors: ['approvals.not_found', 'approvals.not_possible'],
    isRepeatable: true,
  },
  end: {
    ...common,
    method: 'POST',
    path: '/api/user/approvals/{id}/end',
    summary: 'Record how a run of an operation ended',
    params,
    body: z.object({ runner, end: z.enum(runEnds).describe('How the run ended') }),
    output: messageResponse,
    errors: ['approvals.not_found', 'approvals.not_possible'],
  },
})
