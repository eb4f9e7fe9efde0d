import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isRefusedWrite } from '../../../client/failures/uncertain-writes.ts'
import { keyPrefix } from '../../../client/requests/authenticator.ts'
import { type ApiKey, type KeyRestrictions, keys } from '../../../contract/resources/keys.ts'
import { user } from '../../../contract/resources/user.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { command } from '../../program/commandline/command.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { readConfiguration, updateConfiguration } from '../../program/configuration/profiles.ts'
import type { Settings } from '../../program/configuration/settings.ts'
import { cacheAccountOf } from '../../program/connection/account-id.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { lockWork } from '../../program/errors/lock-work.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { idView, type View } from '../../program/output/format.ts'
import { saveInKeychain } from '../../program/secrets/keychain.ts'
import { savedIn } from './keys-in-use.ts'

/** A rotation in progress, without any secret. Other versions continue it: fields are added and never renamed. */
interface Rotation {
  /** Id of the key that is replaced. */
  readonly old: number
  /** Id of the new key, once it was created. Only the profile may use it. */
  readonly new?: number
  /** Its platform, and when the old key was created: another account may have keys with the same ids. */
  readonly base_url: string
  readonly old_created_at: string
}

/** The key that the profile had, and the new one. */
interface Tokens {
  readonly own: string | undefined
  readonly created: string
}

/** Result of a rotation. Scripts read it as JSON: fields are added, not renamed. */
export interface Rotated {
  readonly profile: string
  readonly name: string
  readonly old_id: number
  readonly new_id: number
  /** Whether the old key was deleted; false with --keep-old. */
  readonly deleted: boolean
  readonly saved_in: 'file' | 'keychain'
}

const view: View<Rotated> = idView((it) => it.new_id)

/**
 * Command `keys rotate`. The new key is created, proved and saved before the old one is deleted, so that the profile has
 * a working key at any moment.
 */
export const rotate = command({
  callsPlatform: true,
  needsPerson: true,
  summary: 'Replace the API key',
  risk: 'destructive',
  exits: ['consent', 'partial', 'not_found'],
  flags: [
    { flags: '--keep-old', describe: 'Keep the old key, for clients that still use it; delete it later' },
    {
      flags: '--expires <duration>',
      describe:
        'Time until the new key expires: 30d, 12h (default: as long as the old key was valid); only on a Parley server',
    },
  ],
  examples: ['--yes', '--keep-old --yes', '--profile production --expires 30d'],
  notes: `Creates a key with the name and the restrictions of the one in use, proves that the platform accepts it for the same account, saves it in the profile (in the keychain, if it is there), and deletes the old key. The new key is not printed. Other clients that use the old key lose access; with --keep-old they keep it until you delete it.
Commands of this computer that run with the profile continue with the new key. An interruption at any moment leaves a profile that works: with the old key until the new one was saved, then with the new one. Run the command again to finish. A key that may not create one like itself, such as one with a budget and the scope spend, cannot be replaced this way. A key from PARLEY_API_KEY or from another command is replaced where it comes from: parley keys create, then parley keys delete.`,
  view,
  async run(context, { flags }) {
    const { system, notes } = context
    const settings = await context.settings()
    const profile = settings.profileName.value
    const place = keyPlace(context, settings)
    const file = join(dataDir(system), 'rotations', `${profile}.json`)
    const lock = lockWork(`${file}.lock`, system, (it) => `${it} is replacing the key of profile "${profile}".`)
    try {
      const own = await (await context.connection()).key()
      const id = Number(own === undefined ? Number.NaN : keyPrefix(own))
      const { api_keys: all } = await context.call(keys.list, {})
      const base_url = settings.baseUrl.value
      const earlier = readRotation(file, base_url, all)
      const current = all.find((it) => it.id === id)
      if (!current)
        throw new ClientFailure({
          exit: 'not_found',
          code: 'not_found',
          message: `The key of profile "${profile}" is not among the keys of the account. Nothing was changed.`,
          hint: 'List them: parley keys list.',
        })
      // It was interrupted after the profile was saved: the old key is left.
      const left = earlier?.new === id ? all.find((it) => it.id === earlier.old) : undefined
      if (earlier?.new === id) {
        await notes.note('Finishing a rotation that was interrupted.')
        return await finish(context, { file, profile, current, oldId: earlier.old, old: left, saved_in: place, flags })
      }
      await requireConfirmation(context, {
        question: `Replace API key "${current.name}" (${id}) of profile "${profile}"? ${flags.keepOld ? 'The old key stays valid.' : 'It is deleted, and its other clients lose access.'}`,
        refusalMessage: `Replacing API key "${current.name}" (${id}) requires confirmation.${flags.keepOld ? '' : ' It is deleted, and its other clients lose access.'}`,
      })
      const isLeft = earlier?.old === id && (await removeLeftOver(context, earlier, current, all))
      const rotation = { old: id, base_url, old_created_at: current.created_at }
      saveRotation(file, rotation)
      const created = await createLike(context, current, flags.expires).catch((error: Error) => {
        if (isRefusedWrite(error)) rmSync(file, { force: true })
        else if (system.signal.aborted)
          throw interrupted(`Profile "${profile}" uses the old key. A new key may have been created.`, error)
        throw error
      })
      const next = { ...current, id: Number(keyPrefix(created)) }
      // Before the profile gets it, so that the next rotation knows which of both keys is left over.
      saveRotation(file, { ...rotation, new: next.id })
      const known = isLeft ? all.filter((it) => it.id !== earlier.new) : all
      try {
        await prove(context, settings, { own, created }, known)
        await save(context, profile, place, { own, created })
      } catch (error) {
        if (!system.signal.aborted) throw error
        const left = `Profile "${profile}" uses the old key (${id}). Key "${next.name}" (${next.id}) was created and is not used.`
        throw interrupted(left, error)
      }
      return await finish(context, { file, profile, current: next, oldId: id, old: current, saved_in: place, flags })
    } finally {
      lock.release()
    }
  },
})

/** Returns the error of an interrupted rotation: what it leaves, and how to finish. */
const interrupted = (left: string, cause: unknown): ClientFailure =>
  new ClientFailure({
    exit: 'interrupted',
    code: 'interrupted',
    message: `Interrupted. ${left}`,
    hint: 'To finish, run the same command again.',
    cause,
  })

/** Returns where the key of the profile is saved. @throws ClientFailure `usage` where it cannot be replaced */
function keyPlace({ system }: Context, settings: Settings): Rotated['saved_in'] {
  const { profileName, key } = settings
  const place = savedIn(readConfiguration(system).profiles[profileName.value], key)
  if (place) return place
  throw usageError(
    `The API key comes from ${key.from}, where this command cannot replace it. Nothing was changed.`,
    profileName.value === 'local'
      ? 'For the local platform: parley server accounts key 1.'
      : 'Create one with "parley keys create", save it there, and delete the old one: parley keys delete.',
  )
}

/** Returns the rotation that was interrupted; undefined for one of another account, which the profile used before. */
function readRotation(file: string, baseUrl: string, all: readonly ApiKey[]): Rotation | undefined {
  try {
    const found = parseJson(readFileSync(file, 'utf8')) as Rotation | null
    const old = all.find((it) => it.id === found?.old)
    const isOfAccount = found?.base_url === baseUrl && (!old || old.created_at === found.old_created_at)
    return typeof found?.old === 'number' && isOfAccount ? found : undefined
  } catch {
    return undefined
  }
}

function saveRotation(file: string, rotation: Rotation): void {
  makeFolder(join(file, '..'))
  replaceFile(file, `${stringifyJson(rotation)}\n`)
}

/**
 * Deletes the key that an interrupted rotation has created and whose token was lost. Names those that it
 * may have created without an answer. Returns whether it has deleted one.
 */
async function removeLeftOver(
  { notes, call }: Context,
  { old, new: created }: Rotation,
  { name }: ApiKey,
  all: readonly ApiKey[],
): Promise<boolean> {
  const known = all.find((it) => it.id === created && it.name === name)
  if (known) {
    await call(keys.delete, { id: known.id })
    await notes.note(`Deleted key "${known.name}" (${known.id}), which an interrupted rotation had created.`)
    return true
  }
  const unused = all.filter((it) => it.id > old && it.name === name && it.last_used_at === null)
  for (const { id } of created === undefined ? unused : [])
    await notes.warn(
      `Key "${name}" (${id}) was never used. An interrupted rotation may have created it: parley keys delete ${id}`,
    )
  return false
}

/** Creates a key with the name and the restrictions of another one. Returns its token. */
async function createLike(context: Context, { id, name, created_at }: ApiKey, expires: unknown): Promise<string> {
  const own = (await context.supports('key-scopes'))
    ? (await context.call(keys.scopes, {})).data.find((it) => it.id === id)
    : undefined
  const body = { name, ...restrictionsOf(own, created_at), ...(expires !== undefined && { expires: String(expires) }) }
  return (await context.call(keys.create, body)).api_key.token
}

/** Returns the restrictions of a key as its creation takes them. It is valid as long as the other one was. */
function restrictionsOf(own: KeyRestrictions | undefined, createdAt: string): object {
  if (!own) return {}
  const { scope, nouns, budget, expires_at } = own
  const hours =
    expires_at === null ? 0 : Math.max(1, Math.round((Date.parse(expires_at) - Date.parse(createdAt)) / 3_600_000))
  return {
    ...(scope !== null && { scope }),
    ...(nouns !== null && { nouns }),
    ...(budget && { budget: `${budget.amount}/${budget.period}` }),
    ...(expires_at !== null && { expires: `${hours}h` }),
  }
}

/**
 * Proves that the platform accepts a key for the same account. Otherwise the key is deleted, and the profile does not change.
 * @throws ClientFailure `conflict`
 */
async function prove(
  context: Context,
  settings: Settings,
  { own, created: token }: Tokens,
  all: readonly ApiKey[],
): Promise<void> {
  const connected = await context.connectTo({ ...settings, key: { from: 'keys rotate', value: token } })
  try {
    const [mine, owned] = [await connected.call(user.me, {}), await context.call(user.me, {})]
    const { api_keys: seen } = await connected.call(keys.list, {})
    if (mine.email !== owned.email || !all.every(({ id }) => seen.some((it) => it.id === id)))
      throw new Error('it belongs to another account')
    // The history, the journal and commands that run with the old key know by it that the new one is of the same account.
    for (const key of [own, token]) if (key !== undefined) cacheAccountOf(context.system, settings, key, mine.email)
  } catch (error) {
    if (context.system.signal.aborted) throw error
    const id = Number(keyPrefix(token))
    const isDeleted = await context.call(keys.delete, { id }).then(
      () => true,
      () => false,
    )
    throw new ClientFailure({
      exit: 'conflict',
      code: 'key_not_proven',
      message: `The platform created a key but does not accept it: ${(error as Error).message} ${isDeleted ? 'The new key was deleted' : `The new key (${id}) could not be deleted`}, and the profile uses the old one.`,
      hint: 'Try again.',
    })
  } finally {
    await connected.close()
  }
}

/**
 * Saves the key where the profile has it. If the profile got another key in the meantime, the new one is deleted and that one stays.
 * @throws ClientFailure `conflict`
 */
async function save(
  context: Context,
  profile: string,
  place: Rotated['saved_in'],
  { own, created }: Tokens,
): Promise<void> {
  const { system, call } = context
  if (place === 'keychain') await saveInKeychain(system, profile, created)
  else {
    let isSaved = false
    await updateConfiguration(system, (configuration) => {
      const current = configuration.profiles[profile]
      isSaved = current !== undefined && current.api_key === own
      if (current === undefined || !isSaved) return configuration
      return { ...configuration, profiles: { ...configuration.profiles, [profile]: { ...current, api_key: created } } }
    })
    if (!isSaved) {
      await call(keys.delete, { id: Number(keyPrefix(created)) })
      throw new ClientFailure({
        exit: 'conflict',
        code: 'profile_changed',
        message: `Profile "${profile}" got another key in the meantime. The new key was deleted, and the old one stays.`,
        hint: 'Run the command again to replace the key that the profile has now.',
      })
    }
  }
}

interface Finish {
  readonly file: string
  readonly profile: string
  /** The key that the profile has now. */
  readonly current: ApiKey
  readonly oldId: number
  /** The old key; undefined if it is deleted already. */
  readonly old: ApiKey | undefined
  readonly saved_in: Rotated['saved_in']
  readonly flags: Readonly<Record<string, unknown>>
}

/** Deletes the old key and prints the result. */
async function finish(context: Context, { file, profile, current, oldId, old, saved_in, flags }: Finish) {
  const { out, notes } = context
  const keepsOld = flags.keepOld === true && old !== undefined
  let failure: ClientFailure | undefined
  if (old && !keepsOld)
    try {
      await context.call(keys.delete, { id: old.id })
    } catch (error) {
      if (context.system.signal.aborted)
        throw interrupted(
          `Profile "${profile}" uses the new key "${current.name}" (${current.id}). The old key (${oldId}) may not be deleted.`,
          error,
        )
      if (!(error instanceof ClientFailure)) throw error
      if (error.exit !== 'not_found') failure = error
    }
  if (!failure) rmSync(file, { force: true })
  const rotated: Rotated = {
    profile,
    name: current.name,
    old_id: oldId,
    new_id: current.id,
    deleted: !keepsOld && !failure,
    saved_in,
  }
  await out.result(
    rotated,
    `Profile "${profile}" uses the new key "${current.name}" (${current.id}).${rotated.deleted ? ' The old key is deleted.' : ''}`,
    { view },
  )
  if (keepsOld) await notes.note(`Delete the old key when no client uses it: parley keys delete ${old.id}`)
  if (!failure) return undefined
  await notes.warn(`The old key could not be deleted: ${failure.message} Run "parley keys rotate" again to finish.`)
  return 'partial' as const
}
