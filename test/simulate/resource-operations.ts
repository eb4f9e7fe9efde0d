import type { Endpoint } from '../../src/contract/endpoint/endpoint.ts'
import { contract } from '../../src/contract/resources/index.ts'
import type { AccountModel } from './model.ts'
import type { StepRun } from './world.ts'

/** A kind of resource that clients create, change and delete. */
interface ResourceKind {
  readonly list: Endpoint
  readonly create: Endpoint
  readonly update?: Endpoint
  readonly delete: Endpoint
  /** Fields of a new resource beside its name. */
  readonly fields: object
  /** The field that updates change, a text. */
  readonly field?: string
}

const { tools, keys, labels, folders, knowledge } = contract

export const resourceKinds: Readonly<Record<string, ResourceKind>> = {
  tools: {
    ...tools,
    fields: { description: 'first', endpoint: 'https://crm.example', method: 'GET' },
    field: 'description',
  },
  keys: { ...keys, fields: {} },
  labels: { ...labels, fields: {} },
  folders: { ...folders, fields: {} },
  knowledge: { ...knowledge, fields: { description: 'first' }, field: 'description' },
}

type Row = Readonly<Record<string, unknown>>

/** Returns the rows of a kind that an account has, as the platform lists them. */
export async function listRows(run: StepRun, kind: ResourceKind, account: AccountModel): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let page = 1; ; page++) {
    const answer = await run.read(kind.list, kind.list.query?.shape.page ? { page, per_page: 100 } : {}, account)
    const body = answer.body as Row | readonly Row[]
    const found = (kind.list.items ? (body as Row)[kind.list.items] : body) as readonly Row[] | undefined
    if (!Array.isArray(found)) throw new Error(`${kind.list.name} answered ${answer.text}`)
    rows.push(...found)
    if (!(body as Row).next_page_url) return rows
  }
}

const kindOf = ({ random }: StepRun): readonly [string, ResourceKind] => random.pick(Object.entries(resourceKinds))

/** Creates a resource. Half of the clients send it again after a lost answer, under the same key. */
export async function create(run: StepRun): Promise<void> {
  const { account, world, random } = run
  const [kind, { create, fields }] = kindOf(run)
  const name = world.newName()
  const isRepeated = random.between(0, 1) === 0
  const answer = isRepeated
    ? await run.sendUntilKnown(create, { name, ...fields })
    : await run.send(create, { name, ...fields })
  if (answer === undefined) {
    account.maybeCreated(kind).add(name)
    return
  }
  if (answer.status >= 300) return run.complain(`${create.name} of ${name}`, answer)
  const rows = await listRows(run, resourceKinds[kind] as ResourceKind, account)
  const found = rows.filter((it) => it.name === name)
  if (found.length !== 1) world.wrong.push(`${kind} ${name} was created and is there ${found.length} times`)
  else
    account.resources(kind).push({
      id: found[0]?.id as number,
      name,
      exists: 'yes',
      values: new Set(['first']),
    })
}

/** Changes a field of a resource. */
export async function update(run: StepRun): Promise<void> {
  const { account, random } = run
  const [kind, { update, field }] = kindOf(run)
  const known = random.pick(account.resources(kind))
  if (!update || !field || !known) return
  const value = `v${random.between(0, 9)}`
  const answer = await run.send(update, { id: known.id, [field]: value })
  if (answer === undefined) known.values.add(value)
  else if (answer.status < 300) {
    known.values.clear()
    known.values.add(value)
  } else if (answer.status !== 404 || known.exists === 'yes') run.complain(`${update.name} of ${known.name}`, answer)
}

/** Deletes a resource. */
export async function remove(run: StepRun): Promise<void> {
  const { account, random } = run
  const [kind, endpoints] = kindOf(run)
  const known = random.pick(account.resources(kind))
  if (!known) return
  const answer = await run.send(endpoints.delete, { id: known.id })
  if (answer === undefined) known.exists = 'maybe'
  else if (answer.status < 300 || (answer.status === 404 && known.exists === 'maybe')) account.forget(kind, known)
  else run.complain(`${endpoints.delete.name} of ${known.name}`, answer)
}

/** Compares the resources of all accounts with what their clients know. */
export async function checkResources(run: StepRun): Promise<void> {
  const { world } = run
  for (const account of world.accounts)
    for (const [name, kind] of Object.entries(resourceKinds)) {
      const rows = await listRows(run, kind, account)
      for (const known of [...account.resources(name)]) {
        const row = rows.find((it) => it.id === known.id)
        const about = `${name} ${known.name} of account ${account.id}`
        if (!row && known.exists === 'yes') world.wrong.push(`${about} was acknowledged and is lost`)
        if (!row) account.forget(name, known)
        else {
          const value = kind.field === undefined ? 'first' : (row[kind.field] as string)
          if (!known.values.has(value))
            world.wrong.push(`${about} has ${value}, and clients wrote ${[...known.values].join(' or ')}`)
        }
      }
      const names = rows.map((it) => String(it.name)).filter((it) => /^s\d+$/.test(it))
      const twice = names.filter((it, n) => names.indexOf(it) !== n)
      for (const duplicate of twice) world.wrong.push(`${name} ${duplicate} of account ${account.id} is there twice`)
      const own = new Set([...account.resources(name).map((it) => it.name), ...account.maybeCreated(name)])
      for (const candidate of names)
        if (!own.has(candidate))
          world.wrong.push(`${name} ${candidate} of account ${account.id} is there, and was deleted or never created`)
    }
}
