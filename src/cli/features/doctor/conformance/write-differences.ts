import { property } from '../../../../client/response-body.ts'
import type { Endpoint } from '../../../../contract/mechanics/endpoint.ts'
import type { Difference } from '../../../../contract/mechanics/response-differences.ts'
import { drift } from './conformance-report.ts'
import { type Answer, type ConformanceSession, type Fields, recordOf } from './conformance-session.ts'
import { impliedFields } from './endpoint-tables.ts'
import { differingFields, readAgain, readBackDifferences, readEndpointsOf } from './read-back.ts'

/** Reads the resource that a write changes, by the id in its input. */
export const readWritten = (
  session: ConformanceSession,
  endpoint: Endpoint,
  input: Fields,
): ReturnType<typeof readAgain> =>
  readAgain(session, readEndpointsOf(endpoint), input[Object.keys(endpoint.params?.shape ?? {}).at(-1) ?? 'id'], input)

/** Writes whose result is not a resource of `get` and `list`: a conversation, and a run. */
const readElsewhere: ReadonlySet<string> = new Set(['sms.send', 'automate.cancelRun', 'automate.rerun'])

/** Reads the resource after a write, and compares it with what was sent and, after an update, with `before`. */
export async function writeDifferences(
  session: ConformanceSession,
  endpoint: Endpoint,
  input: Fields,
  answer: Answer,
  before: Awaited<ReturnType<typeof readAgain>> | undefined,
): Promise<Difference[]> {
  const reading = readEndpointsOf(endpoint)
  const params = new Set(Object.keys(endpoint.params?.shape ?? {}))
  const sent = Object.fromEntries(Object.entries(input).filter(([name]) => !params.has(name)))
  const record = endpoint.record === undefined ? undefined : recordOf(endpoint, answer.output)
  const found = differingFields(
    endpoint.record === undefined ? '' : `${endpoint.record}.`,
    record,
    sent,
    'the sent value',
  )
  if (endpoint.method === 'DELETE') {
    if (endpoint.takesEffectLater) return found
    const again = await readWritten(session, endpoint, input)
    if (again.alone) found.push(drift(reading.get?.name ?? 'get', 'status 404 after it was deleted', 'status 200'))
    if (again.listed) found.push(drift(reading.list?.name ?? 'list', 'no such row after it was deleted', 'the row'))
  } else if (endpoint.method === 'PUT') {
    const id = input[[...params].at(-1) ?? '']
    const returned = property(record, 'id') ?? property(answer.output, 'automation_id')
    if (id !== undefined && returned !== undefined && String(returned) !== String(id))
      found.push(drift('id', 'the id of the request', 'another id'))
    const again = await readWritten(session, endpoint, input)
    const touched = new Set([...Object.keys(sent), ...Object.keys(sent).flatMap((it) => impliedFields[it] ?? [])])
    found.push(...readBackDifferences(reading, again, record, sent))
    for (const side of ['alone', 'listed'] as const)
      if (before?.[side] && again[side])
        found.push(
          ...differingFields(
            '',
            again[side],
            Object.fromEntries(Object.entries(before[side]).filter(([name]) => !touched.has(name))),
            'the previous value',
          ),
        )
  } else if (record?.id !== undefined && (reading.get || reading.list) && !readElsewhere.has(endpoint.name))
    found.push(
      ...readBackDifferences(reading, await readAgain(session, reading, record.id, { ...input }), record, sent),
    )
  return found
}
