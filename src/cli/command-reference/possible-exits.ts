import { type ExitName, exitCodes } from '../../contract/errors/exit-codes.ts'
import { type FailureKind, failures } from '../../contract/errors/failures.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { type Command, riskOf } from '../commandline/command.ts'

/** How any command can end. */
const commonExits: readonly ExitName[] = ['done', 'internal', 'usage', 'interrupted', 'terminated']

/** How one that asks a platform can end, whatever it asks: another platform may refuse in its own words. */
const platformExits: readonly ExitName[] = [
  'auth',
  'not_found',
  'conflict',
  'rejected',
  'rate_limited',
  'platform',
  'connection',
]

const endpointExits = ({ errors }: Endpoint): readonly ExitName[] =>
  errors.map((name) => (failures as Readonly<Record<string, FailureKind>>)[name]?.exit ?? 'internal')

/** Every way a command can end: what its endpoint and its risk say, and what it says itself. In the order of their codes. */
export function possibleExits(it: Command): ExitName[] {
  const { endpoint } = it
  const risk = riskOf(it)
  const found = new Set<ExitName>([
    ...commonExits,
    ...(endpoint || it.callsPlatform ? platformExits : []),
    ...(endpoint ? endpointExits(endpoint) : []),
    // A protected profile asks before every write.
    ...(risk !== 'read' && (endpoint?.auth !== 'control' || risk !== 'write') ? (['consent'] as const) : []),
    ...(risk === 'spends' || endpoint?.risk === 'spends' || endpoint?.successProof
      ? (['unknown', 'payment'] as const)
      : []),
    // Rows of a file may end in different ways, and looking at them without sending is a check.
    ...(it.rows ? (['partial', 'unknown', 'consent', 'finding'] as const) : []),
    ...(it.exits ?? []),
  ])
  return (Object.keys(exitCodes) as ExitName[]).filter((name) => found.has(name))
}
