import { createHash, createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type LiveChange, liveChanges } from '../../../contract/access/live-changes.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import { isObject, type ResourceRecord } from '../../../contract/values/json-object.ts'
import { canonicalJson } from '../../../node/canonical-json.ts'
import type { PlannedCommand } from '../../program/approvals/approvals.ts'
import { createLiveReader } from '../../program/approvals/live-changes.ts'
import type { Context } from '../../program/context.ts'
import { resources } from '../../program/resources/registry.ts'
import type { SyncEntry, SyncSide } from './compare.ts'
import type { FolderComparison } from './compare-folder.ts'
import { changesName, entryKey, Pusher } from './pusher.ts'

/** Requests that a write of one resource makes at most: disabling, replacing and enabling an automation. */
const maxRequests = 3
/** Documents of one knowledge base that are deleted at most. */
const maxDocuments = 1000

/** What a plan says about one file. A person approves a stored plan, and the run compares it: another shape or order would need a new approval. */
interface PlannedFile {
  readonly file: string
  readonly action: 'create' | 'update' | 'delete'
  /** Id of the resource; null for a new one. */
  readonly target: number | string | null
  /** Kind and name that the resource gets, if they are new. */
  readonly new_name?: string
  /** Content of the file, with names in place of ids and references in place of secrets. */
  readonly content: ResourceRecord | null
  /**
   * Each field that is sent, with the hash of its value with ids and secrets. The hash is keyed with the API key, so that a
   * secret cannot be guessed from it.
   */
  readonly sends: readonly string[]
  /** Each file of a document with its hash. */
  readonly documents?: readonly string[]
  /** Why the resource is live, so that a change of it needs approval. */
  readonly live?: string
}

/** Files that are applied, of all that were compared. */
interface AppliedFiles {
  readonly all: FolderComparison
  readonly written: readonly SyncEntry[]
  readonly removals: readonly SyncEntry[]
}

/**
 * Returns what a push or promotion does, for approval: the content of every file that is applied, and a hash of every value
 * that is sent. A run that resumes an interrupted one may do what is left of it.
 */
export async function plannedSteps(
  context: Context,
  { all, written, removals }: AppliedFiles,
): Promise<Omit<PlannedCommand, 'summary'>> {
  const allows: Record<string, number> = {}
  const allow = (name: string, count: number): void => {
    allows[name] = (allows[name] ?? 0) + count
  }
  const live = new Map<SyncEntry, string>()
  const findLive = createLiveReader(context)
  for (const entry of written) {
    const { kind, remote, id } = entry
    if (kind.resourceKind === 'automate') {
      allow('automate.create', 1)
      allow('automate.update', maxRequests)
    }
    // Documents that a file no longer has are deleted.
    if (kind.resourceKind === 'knowledge') allow('knowledge.deleteDocument', maxDocuments)
    if (!remote) continue
    const reason = await findLive(kind.resourceKind, id)
    if (reason !== undefined) live.set(entry, reason)
    for (const name of approvedWritesOf(kind.resourceKind, reason !== undefined))
      allow(name, kind.resourceKind === 'knowledge' ? maxDocuments : maxRequests)
  }
  for (const { kind } of removals) allow(`${kind.resourceKind}.delete`, 1)
  if (Object.keys(allows).length === 0) return { content: [], allows, isRest: () => true }
  const key = (await (await context.connection()).key()) ?? ''
  const pusher = new Pusher(context, all, { confirmed: true, skipLocalTest: true, rollback: false })
  // Names that did not exist when the plan was approved are compared as names, also if the interrupted run has created them.
  const later = new Set([
    ...all.entries.filter((it) => it.status !== 'same' && changesName(it)).map(entryKey),
    ...filesOf(context.approvals.origin.approved?.operation.plan.steps?.content).flatMap((it) => it.new_name ?? []),
  ])
  const content: PlannedFile[] = []
  for (const entry of written) {
    const { file, kind, local, remote, id } = entry
    const input = await pusher.plannedInput(entry, later)
    const documents = kind.resourceKind === 'knowledge' ? hashDocuments(join(all.folder, file), local) : []
    content.push({
      file,
      action: remote ? 'update' : 'create',
      target: remote ? id : null,
      ...(changesName(entry) && { new_name: entryKey(entry) }),
      content: local?.content ?? null,
      sends: Object.entries(input).map(([field, value]) => `${field} ${hashValue(key, value)}`),
      ...(documents.length > 0 && { documents }),
      ...(live.has(entry) && { live: live.get(entry) as string }),
    })
  }
  for (const { file, id } of removals) content.push({ file, action: 'delete', target: id, content: null, sends: [] })
  return {
    content,
    allows,
    isRest(approved) {
      const plannedOf = new Map(filesOf(approved).map((it) => [it.file, it]))
      return content.every((it) => isPartOf(it, plannedOf.get(it.file)))
    },
  }
}

/** Returns the writes of a resource that need approval, because it is live or because they always have effects at once. */
const approvedWritesOf = (kind: ResourceKind, isLive: boolean): string[] =>
  Object.entries<LiveChange>(liveChanges).flatMap(([name, change]) => {
    const isUpdate = (resources[kind].writes as Readonly<Record<string, unknown>>)[name] === 'update'
    const needsApproval = change === 'always' ? isUpdate : isLive && typeof change === 'object' && change.kind === kind
    return needsApproval ? [name] : []
  })

const hashValue = (key: string, value: unknown): string =>
  createHmac('sha256', key)
    .update(canonicalJson(value ?? null))
    .digest('hex')
    .slice(0, 32)

/** Returns each file of the documents of a knowledge base with the hash of its bytes. */
function hashDocuments(path: string, local: SyncSide | undefined): string[] {
  const documents = local?.content.documents
  if (!Array.isArray(documents)) return []
  return documents.flatMap((document: unknown) => {
    if (!isObject(document) || typeof document.file !== 'string') return []
    const bytes = readFileSync(resolve(dirname(path), document.file))
    return [`${document.file} ${createHash('sha256').update(bytes).digest('hex')}`]
  })
}

/** Returns the files in the content of a stored plan. */
const filesOf = (content: unknown): readonly PlannedFile[] => (Array.isArray(content) ? content : [])

/**
 * Returns whether what was approved for a file includes what is left of it: the same content, the same values or fewer, for
 * the same resource or one that the interrupted run has created.
 */
function isPartOf(rest: PlannedFile, planned: PlannedFile | undefined): boolean {
  if (!planned || (planned.action === 'delete') !== (rest.action === 'delete')) return false
  const isSameTarget = planned.action === 'create' || canonicalJson(planned.target) === canonicalJson(rest.target)
  return (
    isSameTarget &&
    (rest.live === undefined || planned.live !== undefined) &&
    canonicalJson([planned.content, planned.documents]) === canonicalJson([rest.content, rest.documents]) &&
    rest.sends.every((it) => planned.sends.includes(it))
  )
}

/** Returns the files of entries for a sentence, at most ten by name. */
export const fileList = (entries: readonly SyncEntry[]): string => {
  const names = entries.slice(0, 10).map((it) => it.file)
  return [...names, ...(entries.length > 10 ? [`${entries.length - 10} more`] : [])].join(', ')
}
