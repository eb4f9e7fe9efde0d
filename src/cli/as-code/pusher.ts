import { join } from 'node:path'
import { ClientFailure } from '../../client/failure.ts'
import type { Assistant } from '../../contract/assistants.ts'
import type { Known } from '../before.ts'
import type { Context } from '../context.ts'
import type { Account } from '../references/account.ts'
import { cleared } from './cleared-fields.ts'
import type { Side } from './compare.ts'
import { type Compared, type Entry, type Live, liveOf, syncedOf } from './folder.ts'
import { deletionOf, type InUse } from './in-use.ts'
import type { WriteOptions } from './kind.ts'
import { idsIn } from './named-content.ts'
import type { Pushed } from './pushed.ts'
import { withSecrets } from './secrets.ts'
import { refuseUnknownValues } from './unknown-values.ts'

/** A thing points to another that is yet to be made. */
class Later extends Error {
  /** Where in the content. */
  readonly path: string
  constructor(path: string) {
    super(path)
    this.path = path
  }
}

/** Sends what files hold. What was sent is remembered at once: a run that is killed is gone on with by the next. */
export class Pusher {
  readonly #context: Context
  readonly #all: Compared
  readonly #options: WriteOptions
  /** Things that are yet to be made or to get their name, by kind and name. */
  readonly #coming: Set<string>

  constructor(context: Context, all: Compared, options: WriteOptions) {
    this.#context = context
    this.#all = all
    this.#options = options
    this.#coming = new Set(all.entries.filter((it) => it.standing !== 'same' && isNamed(it)).map(nameIn))
  }

  /** @throws ClientFailure `usage` naming the file and the field that cannot be sent */
  async check(entry: Entry): Promise<void> {
    refuseUnknownValues(entry, join(this.#all.folder, entry.file))
    await this.#inputOf(entry, entry.here as Side, true).catch((error: unknown) => {
      if (!(error instanceof Later)) throw error
    })
  }

  /** Creates and updates in an order in which what is pointed to is there; where things point to each other, in two steps. */
  async write(entries: readonly Entry[]): Promise<Pushed[]> {
    const done: Pushed[] = []
    let waiting = [...entries]
    while (waiting.length > 0) {
      const left: Entry[] = []
      for (const it of waiting) {
        const result = await this.#attempt(it, it.here as Side)
        if (result === 'later') left.push(it)
        else done.push(result)
      }
      if (left.length === waiting.length) {
        done.push(...(await this.#inTwoSteps(left)))
        break
      }
      waiting = left
    }
    return done
  }

  /** `inUse`: those that are left alone after all, with what relies on them. */
  async remove(entries: readonly Entry[], inUse: InUse): Promise<Pushed[]> {
    const done: Pushed[] = []
    for (const it of entries) {
      const { kind, file, id } = it
      const uses = inUse.get(it)
      const result = await this.#failing(file, id, async () => {
        if (uses) return { file, id, done: 'failed', remark: `${uses.join(' ')} To delete it nonetheless: ${deletionOf(it)}` }
        await kind.remove(this.#context, id as number | string)
        this.#all.lock.set(file, undefined)
        return { file, id, done: 'deleted', remark: null }
      })
      done.push(result)
    }
    return done
  }

  /** What of `gone` is relied on by something that stays, as that is once `written` was sent. */
  async inUse(gone: readonly Entry[], written: readonly Entry[]): Promise<InUse> {
    const found = new Map<Entry, readonly string[]>()
    const asked = gone.filter(({ kind }) => kind.noun === 'tools' || kind.noun === 'assistants')
    if (asked.length === 0) return found
    const account = await this.#accountAfter(gone, written)
    for (const it of asked) {
      const uses = it.there ? await this.#usesOf(it.kind.noun, it.there, account) : []
      if (uses.length > 0) found.set(it, uses)
    }
    return found
  }

  /** Remembers what was the same all along. */
  settle(): void {
    const { entries, lock } = this.#all
    for (const { file, here, there, standing } of entries) {
      if (standing !== 'same' || !here || !there) continue
      const now = syncedOf(here, there)
      if (JSON.stringify(lock.of(file)) !== JSON.stringify(now)) lock.set(file, now)
    }
  }

  async #attempt(entry: Entry, here: Side): Promise<Pushed | 'later'> {
    try {
      return await this.#failing(entry.file, entry.id, () => this.#send(entry, here))
    } catch (error) {
      if (error instanceof Later) return 'later'
      throw error
    }
  }

  async #send(entry: Entry, here: Side): Promise<Pushed> {
    const { kind, file, there } = entry
    const input = await this.#inputOf(entry, here)
    const sent = there ? await kind.update(this.#context, there.id, input, this.#options) : await kind.create(this.#context, input, file, this.#options)
    const { id } = sent
    // The file is not what is live: the next push sends it again.
    if (sent.isUnchanged) return { file, id, done: 'test_failed', remark: sent.remark ?? null }
    if (isNamed(entry)) {
      this.#coming.delete(nameIn(entry))
      await this.#all.names.add(kind.named, id, nameOf(entry))
    }
    this.#all.lock.set(file, syncedOf(here, await liveOf(this.#all.names, kind, await kind.one(this.#context, id))))
    const remark = sent.remark ?? (sent.isFailed ? `its test failed, and it is off: parley automate runs list ${id}` : null)
    return { file, id, done: there ? 'updated' : 'created', remark }
  }

  /** Makes them without what points to one that is not there yet, then adds that. What is there already never loses anything in between. */
  async #inTwoSteps(entries: readonly Entry[]): Promise<Pushed[]> {
    const done: Pushed[] = []
    for (const it of entries) {
      const partly = it.there ? await this.#withoutLaterFields(it) : { ...it, here: await this.#withoutLater(it) }
      if (it.there && partly.fields.length === 0) continue
      const result = await this.#attempt(partly, partly.here as Side)
      if (result !== 'later') done.push(result)
    }
    for (const it of entries) {
      const made = done.find(({ file }) => file === it.file)
      if (made ? made.done === 'failed' || made.done === 'test_failed' : !it.there) continue
      const id = made?.id ?? it.id
      const there = await liveOf(this.#all.names, it.kind, await it.kind.one(this.#context, id as number | string))
      const fields = it.there ? it.fields : Object.keys((it.here as Side).content)
      const result = await this.#attempt({ ...it, there, id: there.id, fields }, it.here as Side)
      const outcome: Pushed = result === 'later' ? { file: it.file, id, done: 'failed', remark: 'What it points to could not be sent.' } : result
      if (!made) done.push(outcome)
      else if (outcome.done === 'failed' || outcome.done === 'test_failed') done.splice(done.indexOf(made), 1, outcome)
    }
    return done
  }

  /** What of a thing can be sent before what it points to has its name. */
  async #withoutLaterFields(entry: Entry): Promise<Entry> {
    const here = { hash: '', content: (entry.here as Side).content }
    for (let { fields } = entry; ; ) {
      try {
        await this.#inputOf({ ...entry, fields }, here)
        return { ...entry, fields, here }
      } catch (error) {
        if (!(error instanceof Later)) throw error
        const [held] = error.path.split(/[.[]/)
        if (!fields.includes(held as string)) throw error
        fields = fields.filter((it) => it !== held)
      }
    }
  }

  async #withoutLater(entry: Entry): Promise<Side> {
    let { content } = entry.here as Side
    for (;;) {
      try {
        await this.#inputOf(entry, { hash: '', content })
        // Never the hash of the file: it is not all there until the second step.
        return { hash: '', content }
      } catch (error) {
        if (!(error instanceof Later)) throw error
        const [field = '', n] = error.path.split('.')
        const held = content[field]
        content = { ...content, [field]: Array.isArray(held) ? held.filter((_, at) => String(at) !== n) : undefined }
      }
    }
  }

  /** What is sent: all of a new thing, of others the fields that differ. */
  async #inputOf(entry: Entry, here: Side, isCheck = false): Promise<Known> {
    const { kind, file, there, fields } = entry
    const path = join(this.#all.folder, file)
    const { content } = here
    const chosen = there ? fields : Object.keys(content)
    const along = there ? (kind.along?.(pick(content, chosen)) ?? []) : []
    const given = pick(content, [...new Set([...chosen, ...along])])
    const named = await idsIn(this.#all.names, kind, given, path, ({ to, name, path: at }) => {
      if (this.#coming.has(`${to} ${name}`)) throw new Later(at)
      throw missing(path, at, to, name)
    }).catch((error: unknown) => {
      if (isCheck && error instanceof Later) return given
      throw error
    })
    const whole = withSecrets(named, '', { env: this.#context.world.env, live: there?.raw, file: path }) as Known
    const sent = there && kind.credentials ? await this.#inFile(path, kind.credentials(this.#context, there.id, whole)) : whole
    return { ...sent, ...cleared(kind.changes, kind.document, there ? chosen.filter((name) => content[name] === undefined) : []) }
  }

  /** A refusal that names the file as well. */
  async #inFile<T>(path: string, work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      if (!(error instanceof ClientFailure) || error.exit !== 'usage') throw error
      const { exit, code, message, hint } = error
      throw new ClientFailure({ exit, code, message: `${path}: ${message}`, ...(hint !== undefined && { hint }) })
    })
  }

  async #failing(file: string, id: Pushed['id'], work: () => Promise<Pushed>): Promise<Pushed> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ClientFailure) || this.#context.world.signal.aborted || error.exit === 'consent' || error.exit === 'unknown') throw error
      return { file, id, done: 'failed', remark: remarkOf(error) }
    }
  }

  /** The account without what goes, and with assistants as they are about to be. Of automations only what goes is known. */
  async #accountAfter(gone: readonly Entry[], written: readonly Entry[]): Promise<Account> {
    const { accountOf } = await import('../references/account.ts')
    const account = accountOf(this.#context.call, this.#context.world.signal)
    const changes = new Map<unknown, Known>()
    const fresh: Known[] = []
    for (const it of written.filter(({ kind }) => kind.noun === 'assistants')) {
      const input = await this.#inputOf(it, await this.#withoutLater(it))
      if (it.there) changes.set(it.there.id, input)
      else fresh.push(input)
    }
    const after = (thing: string, items: readonly Known[]): readonly Known[] => {
      const left = items.filter(({ id }) => !gone.some((it) => it.kind.named === thing && it.id === id))
      return thing === 'assistants' ? [...left.map((it) => ({ ...it, ...changes.get(it.id) })), ...fresh] : left
    }
    return Object.create(account, {
      list: { value: async (thing: Parameters<Account['list']>[0]) => after(thing, await account.list(thing)) },
      automations: { value: async () => after('automate', await account.automations()) },
    })
  }

  /** What is lost with an assistant, or with a tool that something works with now. */
  async #usesOf(noun: string, { id, raw }: Live, account: Account): Promise<readonly string[]> {
    if (noun === 'tools') {
      const { relyingOn } = await import('../references/relying.ts')
      const { isLive, losses } = await relyingOn(this.#context, 'tools', { ...raw, id }, account)
      return isLive ? losses : []
    }
    const { missedWith } = await import('../references/assistant.ts')
    const { assistants } = await import('./kinds/assistants.ts')
    const found = ((await assistants.all(this.#context)) as never as Assistant[]).find((it) => it.id === id)
    return found ? missedWith(this.#context, found, (await account.list('assistants')) as never, account) : []
  }
}

const nameOf = ({ name, here }: Entry): string => String(here?.content.name ?? name)
const nameIn = (entry: Entry): string => `${entry.kind.named} ${nameOf(entry)}`

/** Whether a push gives a thing the name its file has: it is made, or called otherwise. */
const isNamed = (entry: Entry): boolean => entry.here !== undefined && entry.there?.name !== nameOf(entry)

/** What went wrong, each thing once: a message that is that of a field is told with the field. */
export function remarkOf({ message, details }: Pick<ClientFailure, 'message' | 'details'>): string {
  const bare = (it: string): string => it.trim().replace(/\.$/, '')
  const told = details.map((it) => `${it.path}: ${it.message}`)
  if (told.length === 0 || told.every((it) => message.includes(bare(it)))) return message
  if (details.some((it) => bare(it.message) === bare(message))) return told.join(' ')
  return `${bare(message)}: ${told.join(' ')}`
}

const pick = (it: Known, names: readonly string[]): Known => Object.fromEntries(names.filter((name) => it[name] !== undefined).map((name) => [name, it[name]]))

const missing = (file: string, path: string, to: string, name: string): ClientFailure =>
  new ClientFailure({
    exit: 'usage',
    code: 'usage',
    message: `${file}: ${path}: there is no ${to === 'automate' ? 'automation' : to === 'knowledge' ? 'knowledge base' : to.replace(/s$/, '')} "${name}".`,
    hint: 'Write the name of one there is, or its id.',
  })
