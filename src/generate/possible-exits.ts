import { type Command, riskOf } from '../cli/program/commandline/command.ts'
import { approvalClass } from '../contract/endpoint/approval-class.ts'
import type { Endpoint } from '../contract/endpoint/endpoint.ts'
import type { FailureKind } from '../contract/errors/exit-codes.ts'
import { type ExitName, exitCodes } from '../contract/errors/exit-codes.ts'
import { failures } from '../contract/errors/failures.ts'

/** Exit codes of every command. Any of them may name a profile that does not exist. */
const commonExits: readonly ExitName[] = [
  'done',
  'internal',
  'usage',
  'not_found',
  'hung_up',
  'interrupted',
  'terminated',
]

/** Exit codes of every command that sends requests; any platform may return these errors. */
const platformExits: readonly ExitName[] = ['auth', 'conflict', 'rejected', 'rate_limited', 'platform', 'connection']

const endpointExits = ({ errors }: Endpoint): readonly ExitName[] =>
  errors.map((name) => (failures as Readonly<Record<string, FailureKind>>)[name]?.exit ?? 'internal')

/**
 * Returns all exit codes of a command, in order: those of its endpoint and risk, and its own. They are promised in
 * `parley commands`, the references and manual pages: a code that is missing here surprises scripts.
 */
export function possibleExits(command: Command): ExitName[] {
  const { endpoint } = command
  const risk = riskOf(command)
  const found = new Set<ExitName>([
    ...commonExits,
    ...(endpoint || command.callsPlatform ? platformExits : []),
    ...(endpoint ? endpointExits(endpoint) : []),
    // A protected profile requires confirmation for every write.
    // A command that does more than its endpoint sends another one with it.
    ...(risk !== 'read' && (endpoint?.auth !== 'control' || risk !== 'write' || endpoint.risk !== risk)
      ? (['consent'] as const)
      : []),
    // Where approvals are required, a person must agree outside the command.
    ...(command.needsPerson || (endpoint && approvalClass(endpoint, {}) !== 'none') ? (['consent'] as const) : []),
    ...(risk === 'spends' || endpoint?.risk === 'spends' ? (['unknown', 'payment'] as const) : []),
    ...(endpoint?.successProof ? (['unknown'] as const) : []),
    // A write may be accepted without taking effect, or may not be readable after it.
    ...(endpoint && endpoint.auth !== 'control' && endpoint.risk !== 'read' ? (['unknown', 'finding'] as const) : []),
    // Rows may have different outcomes, and a dry run may find invalid ones.
    ...(command.rows ? (['partial', 'unknown', 'consent', 'finding'] as const) : []),
    ...(command.waits ? (['finding', 'timed_out'] as const) : []),
    ...(command.exits ?? []),
  ])
  return (Object.keys(exitCodes) as ExitName[]).filter((name) => found.has(name))
}
