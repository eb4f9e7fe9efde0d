import { addressFields, replaceAddresses } from '../../contract/references/resource-references.ts'
import { automate } from '../../contract/resources/automate.ts'
import { mapTexts } from '../../contract/values/json-object.ts'
import type { SyncSide } from '../as-code/compare.ts'
import { toSide } from '../as-code/compare-folder.ts'
import type { FileKind } from '../as-code/kinds/file-kind.ts'
import { isListUnavailable } from '../as-code/unavailable-list.ts'
import { webhookPath } from '../automations/webhook-path.ts'
import { resources } from '../resources/descriptors.ts'
import type { ProfilePair, ProfileSide } from './profile-pair.ts'

/** A field with the address of an automation that the target does not have. */
export interface MissingAddress {
  /** Path of the value. */
  readonly field: string
  readonly automation: string
}

const originOf = (url: string): string | undefined =>
  /^https?:/.test(url) && URL.canParse(url) ? new URL(url).origin : undefined

async function listAutomations({ context }: ProfileSide): Promise<readonly { id: string; name: string }[]> {
  try {
    return (await context.call(automate.list, {})).data
  } catch (error) {
    if (isListUnavailable(error)) return []
    throw error
  }
}

/** Fields of a kind that may contain addresses: URLs, and the steps of a definition. */
function fieldsOf({ resourceKind }: FileKind): readonly string[] {
  if (resources[resourceKind].hasDefinition) return ['flow']
  return Object.hasOwn(addressFields, resourceKind) ? addressFields[resourceKind as keyof typeof addressFields] : []
}

/**
 * Replaces the addresses of automations of the source by those of the automations with the same names on the target, so
 * that the target does not start automations of the source. Lists are read on first use.
 */
export function createAddressTranslator({ from, to }: Pick<ProfilePair, 'from' | 'to'>) {
  let lists: Promise<readonly (readonly { id: string; name: string }[])[]> | undefined
  const targetOrigin = originOf(to.baseUrl)
  const targetBase = to.baseUrl.replace(/\/+$/, '')

  async function translate(kind: FileKind, side: SyncSide): Promise<{ side: SyncSide; missing: MissingAddress[] }> {
    const content: Record<string, unknown> = { ...side.content }
    const fields = fieldsOf(kind).filter((it) => hasAddress(content[it]))
    if (fields.length === 0) return { side, missing: [] }
    lists ??= Promise.all([from, to].map(listAutomations))
    const [own = [], others = []] = await lists
    const missing: MissingAddress[] = []
    for (const field of fields)
      content[field] = mapTexts(content[field], field, (text, path) =>
        replaceAddresses(text, ({ url, base, path: before, id }) => {
          const origin = originOf(base)
          const name = own.find((it) => it.id === id)?.name
          if ((origin !== undefined && origin === targetOrigin) || name === undefined) return url
          const found = others.filter((it) => it.name === name)
          if (found.length !== 1 || targetOrigin === undefined) {
            missing.push({ field: path, automation: name })
            return url
          }
          const target = String(found[0]?.id)
          // An expression is evaluated on the target.
          return base.includes('{{')
            ? url.slice(0, -(before + id).length) + before + target
            : targetBase + webhookPath(target)
        }),
      )
    return { side: await toSide(kind, content), missing }
  }
  return translate
}

const hasAddress = (value: unknown): boolean => {
  let found = false
  mapTexts(value, '', (text) =>
    replaceAddresses(text, ({ url }) => {
      found = true
      return url
    }),
  )
  return found
}
