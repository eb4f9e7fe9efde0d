import type { BudgetUse } from '../../../client/journal/profile-budget.ts'
import { platformAddress } from '../../program/configuration/active-profile.ts'
import {
  type Approvals,
  localProfile,
  maskKey,
  type Profile,
  readConfiguration,
} from '../../program/configuration/profiles.ts'
import type { Context } from '../../program/context.ts'
import { budgetText, readProfileBudget } from '../../program/operations/profile-budget.ts'
import type { View } from '../../program/output/format.ts'

/** A profile for output, with only the end of the API key. Scripts read it as JSON: fields and words are added, not renamed. */
export interface ShownProfile {
  readonly name: string
  readonly current: boolean
  readonly base_url: string
  /** End of the API key; `command` or `data_folder` if it is not in the profile. */
  readonly key: string | null
  readonly output: string | null
  readonly vocabulary: string | null
  /** Endpoints with other paths or parameter names. */
  readonly routes: readonly string[]
  readonly protected: boolean
  readonly read_only: boolean
  /** Price in USD from which a single paid message requires confirmation. */
  readonly confirm_above: number | null
  /** What may be spent, and what was, as far as the journal of this machine knows. */
  readonly budget: BudgetUse | null
  /** Whose requests a person must approve. */
  readonly approvals: Approvals
  /** Whether writes are saved in the history. */
  readonly history: 'on' | 'off'
}

/** Text for keys that are not in the profile. */
const keySources: Readonly<Record<string, string>> = { command: 'from a command', data_folder: 'in the data folder' }

/**
 * How profiles are shown to people: titles and columns may change. Scripts read `ShownProfile` as JSON, or the name with
 * `-o id`.
 */
export const view: View<ShownProfile> = {
  id: (it) => it.name,
  columns: [
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'current', title: 'Current', priority: 2, kind: 'bool' },
    { key: (it) => platformAddress(it.base_url), field: 'base_url', title: 'Platform', priority: 2, flexible: true },
    { key: ({ key }) => (key === null ? null : (keySources[key] ?? key)), field: 'key', title: 'Key', priority: 3 },
    { key: 'vocabulary', title: 'Vocabulary', priority: 5 },
    { key: 'protected', title: 'Protected', priority: 4, kind: 'bool' },
    { key: 'read_only', title: 'Read-only', priority: 4, kind: 'bool' },
    { key: ({ budget }) => budget && budgetText(budget), field: 'budget', title: 'Budget', priority: 4 },
  ],
  empty: 'No profiles.',
}

/** Converts a profile to its printed form. */
export const toShownProfile = async (
  context: Context,
  name: string,
  profile: Profile,
  current: string,
): Promise<ShownProfile> => ({
  name,
  current: name === current,
  base_url: profile.base_url,
  key: profile.api_key
    ? maskKey(profile.api_key)
    : profile.api_key_command
      ? 'command'
      : name === 'local'
        ? 'data_folder'
        : null,
  output: profile.output ?? null,
  vocabulary: profile.vocabulary ?? null,
  routes: Object.keys(profile.routes ?? {}),
  protected: profile.protected === true,
  read_only: profile.read_only === true,
  confirm_above: profile.confirm_above ?? null,
  budget: await readProfileBudget(context, {
    profile,
    profileUsed: name,
    profileName: { value: name, from: '' },
    baseUrl: { value: profile.base_url, from: '' },
    key: { from: '', ...(profile.api_key !== undefined && { value: profile.api_key }) },
  }),
  approvals: profile.approvals ?? (profile.base_url === localProfile.base_url ? 'off' : 'agents'),
  history: profile.history ?? 'on',
})

/** Settings that people see only where they are set, and what they are otherwise. */
const usual = { confirm_above: null, budget: null, history: 'on' } as const

/** Returns the fields of a profile, or their origins, without `usual` settings where people read all fields. */
export function forPeople<T extends object>({ out }: Context, fields: T, values: object): object {
  if (!out.isForPeople) return fields
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name]) =>
        !Object.hasOwn(usual, name) || (values as Record<string, unknown>)[name] !== usual[name as keyof typeof usual],
    ),
  )
}

/** Returns all profiles in their printed form, sorted by name. */
export function listProfiles(context: Context): Promise<ShownProfile[]> {
  const { current, profiles } = readConfiguration(context.system)
  return Promise.all(
    Object.entries(profiles)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, profile]) => toShownProfile(context, name, profile, current)),
  )
}
