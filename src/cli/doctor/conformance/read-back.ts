import { isObject } from '../../../client/answer.ts'
import { type Difference, differencesFrom, seenAs } from '../../../contract/conformity.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import { endpoints } from '../../../contract/index.ts'
import { drift } from './conformity.ts'
import { type Answer, type Fields, idOf, isSuccess, recordOf, rowsOf, type Session } from './session.ts'
import { volatile } from './tables.ts'

/** How one thing is read again after it was written: alone, or from its list. */
export interface Reading {
  readonly get: Endpoint | undefined
  readonly list: Endpoint | undefined
  /** Name of the path parameter that is its id. */
  readonly id: string
}

const named = (name: string): Endpoint | undefined => endpoints.find((it) => it.name === name)

/** `knowledge.createDocument` is read with `knowledge.getDocument` and `knowledge.listDocuments`. */
export function readingOf(endpoint: Endpoint): Reading {
  const [resource = '', verb = ''] = endpoint.name.split('.')
  const [, , part = ''] = /^(create|update|delete)([A-Z]\w*)?$/.exec(verb) ?? []
  const get = named(`${resource}.get${part}`)
  return { get, list: named(`${resource}.list${part === '' ? '' : `${part}s`}`), id: Object.keys(get?.params?.shape ?? {}).at(-1) ?? 'id' }
}

/** Whether a read is as documented. One that is not is reported as what it is, and says nothing certain of what was written. */
function isSound(session: Session, endpoint: Endpoint, { output }: Answer): boolean {
  const differences = output === undefined ? [drift('.', 'JSON', 'no JSON')] : differencesFrom(endpoint, output)
  if (differences.length > 0) session.report.add(endpoint.name, 'answer', differences)
  return differences.every((it) => it.tolerated)
}

/** The thing as its list and as its own endpoint show it; undefined where it is not there. */
export async function findAgain(
  session: Session,
  { get, list, id: name }: Reading,
  id: unknown,
  within: Fields,
): Promise<{ alone?: Fields; listed?: Fields; isListed: boolean; status?: number }> {
  const found: { alone?: Fields; listed?: Fields; isListed: boolean; status?: number } = { isListed: false }
  const above = (endpoint: Endpoint): Fields =>
    Object.fromEntries(Object.keys(endpoint.params?.shape ?? {}).flatMap((it) => (within[it] === undefined || it === name ? [] : [[it, within[it]]])))
  if (get) {
    const answer = await session.ask(get, { ...above(get), [name]: id })
    const alone = isSuccess(answer) ? recordOf(get, answer.output) : undefined
    if (!isSuccess(answer) || isSound(session, get, answer)) found.status = answer.status
    else return found
    if (alone) found.alone = alone
  }
  if (list) {
    // The parent of a part has the name of its own id.
    const input = Object.fromEntries(Object.keys(list.params?.shape ?? {}).map((it) => [it, within[it]]))
    for (let page = 1; page <= 20; page++) {
      const answer = await session.ask(list, { ...input, ...(list.paged && { page, per_page: 100 }) })
      if (isSuccess(answer) && !isSound(session, list, answer)) return found
      const rows = isSuccess(answer) ? rowsOf(list, answer.output) : []
      const row = rows.find((it) => String(idOf(it)) === String(id))
      if (row) found.listed = row
      if (row || !list.paged || rows.length < 100) break
    }
    found.isListed = true
  }
  return found
}

/** Whether what is there says what was sent: everything that was sent, and more where defaults were filled in. */
export function says(there: unknown, sent: unknown): boolean {
  if (Array.isArray(sent)) return Array.isArray(there) && there.length === sent.length && sent.every((it, n) => says(there[n], it))
  if (isObject(sent)) return isObject(there) && Object.entries(sent).every(([name, it]) => says(there[name], it))
  return there === sent
}

/** Fields of a record that are not what was sent. What is missing or of another type is a difference of the answer itself. */
export const unlike = (path: string, there: Fields | undefined, sent: Fields, expected: string): Difference[] =>
  Object.entries(sent).flatMap(([name, value]) =>
    there === undefined ||
    !Object.hasOwn(there, name) ||
    volatile.has(name) ||
    (value !== null && there[name] !== null && seenAs(there[name]) !== seenAs(value)) ||
    says(there[name], value)
      ? []
      : [drift(`${path}${name}`, expected, there[name] === null ? 'null' : 'another value')],
  )

/** Differences between a record that was answered and the same thing read again. */
export function readBackDifferences(reading: Reading, again: Awaited<ReturnType<typeof findAgain>>, answered: Fields | undefined, sent: Fields): Difference[] {
  const found: Difference[] = []
  if (reading.get && again.status !== undefined && !again.alone) found.push(drift(reading.get.name, 'what was written', `status ${again.status}`))
  if (again.isListed && !again.listed) found.push(drift(reading.list?.name ?? 'list', 'what was written', 'nothing'))
  for (const [endpoint, there] of [
    [reading.get, again.alone],
    [reading.list, again.listed],
  ] as const) {
    if (!endpoint || !there) continue
    found.push(...unlike(`${endpoint.name} `, there, sent, 'what was sent'))
    if (answered)
      found.push(
        ...unlike(`${endpoint.name} `, there, Object.fromEntries(Object.entries(answered).filter(([name]) => !Object.hasOwn(sent, name))), 'what was answered'),
      )
  }
  return found
}
