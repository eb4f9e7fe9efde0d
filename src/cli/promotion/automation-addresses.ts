import { addressFields, automationIdAt } from '../../contract/references/resource-references.ts'
import { automate } from '../../contract/resources/automate.ts'
import type { SyncSide } from '../as-code/compare.ts'
import { toSide } from '../as-code/compare-folder.ts'
import type { FileKind } from '../as-code/kinds/file-kind.ts'
import { isListUnavailable } from '../as-code/unavailable-list.ts'
import { webhookPath } from '../automations/webhook-path.ts'
import type { ProfilePair, ProfileSide } from './profile-pair.ts'

/** A field with the address of an automation that the target does not have. */
export interface MissingAddress {
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

/**
 * Replaces the addresses of automations of the source by those of the automations with the same names on the target, so
 * that the target does not start automations of the source. Lists are read on first use.
 */
export function createAddressTranslator({ from, to }: Pick<ProfilePair, 'from' | 'to'>) {
  let lists: Promise<readonly (readonly { id: string; name: string }[])[]> | undefined
  const targetOrigin = originOf(to.baseUrl)

  async function translate(kind: FileKind, side: SyncSide): Promise<{ side: SyncSide; missing: MissingAddress[] }> {
    const fields: readonly string[] = Object.hasOwn(addressFields, kind.resourceKind)
      ? addressFields[kind.resourceKind as keyof typeof addressFields]
      : []
    const content: Record<string, unknown> = { ...side.content }
    const missing: MissingAddress[] = []
    let isChanged = false
    for (const field of fields) {
      const value = content[field]
      const id = typeof value === 'string' ? automationIdAt(value) : undefined
      if (typeof value !== 'string' || id === undefined) continue
      const origin = originOf(value)
      if (origin !== undefined && origin === targetOrigin) continue
      lists ??= Promise.all([from, to].map(listAutomations))
      const [own = [], others = []] = await lists
      const name = own.find((it) => it.id === id)?.name
      if (name === undefined) continue
      const found = others.filter((it) => it.name === name)
      if (found.length !== 1 || targetOrigin === undefined) {
        missing.push({ field, automation: name })
        continue
      }
      const rest = value.slice(value.indexOf(`/webhooks/${id}`) + `/webhooks/${id}`.length)
      content[field] = `${to.baseUrl.replace(/\/+$/, '')}${webhookPath(String(found[0]?.id))}${rest}`
      isChanged = true
    }
    return { side: isChanged ? await toSide(kind, content) : side, missing }
  }
  return translate
}
