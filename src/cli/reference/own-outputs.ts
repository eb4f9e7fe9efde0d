import * as z from 'zod'
import { assistants } from '../../contract/assistants.ts'
import { automate } from '../../contract/automate.ts'
import { AutomationTemplate } from '../../contract/automation-records.ts'
import { accounts, platform } from '../../contract/control.ts'
import { conversations } from '../../contract/conversations.ts'
import { messaging } from '../../contract/messaging.ts'
import { user } from '../../contract/user.ts'
import type { Standing } from '../as-code/compare.ts'
import type { Shown } from '../as-code/view.ts'
import type { RowsResult } from '../bulk/summary.ts'
import type { Listed } from '../commands/history/view.ts'
import type { ShownEntry } from '../commands/ops/view.ts'
import type { ShownProfile } from '../commands/profile/view.ts'
import type { Finding as DoctorFinding } from '../doctor/finding.ts'
import type { Write } from '../history/writes.ts'
import type { Row } from '../references/rows.ts'
import { refs } from '../refs-tree.ts'
import { itemSchema } from '../shape.ts'
import { DifferenceShown, LintShown, RehearsalShown } from './automation-outputs.ts'

const text = z.string()
const maybe = text.nullable()
/** What every deletion prints, and every other command that has only a sentence to say about a thing. */
export const Done = z.object({ id: z.union([z.number(), z.string()]), message: text })

const keyed = z.object({ message: text, key: text })

const standings = [
  'same',
  'new here',
  'changed here',
  'gone here',
  'new there',
  'changed there',
  'gone there',
  'conflict',
] as const satisfies readonly Standing[]
const idOrNone = z.union([z.number(), text]).nullable()
const FileStanding = z.object({ file: text, name: text, standing: z.enum(standings), id: idOrNone, fields: z.array(text) }) satisfies z.ZodType<Shown>
const FileDiffering = FileStanding.extend({ changes: z.array(z.object({ field: text, platform: z.unknown().optional(), file: z.unknown().optional() })) })
const Pushed = z.object({
  file: text,
  id: idOrNone,
  done: z.enum(['created', 'updated', 'deleted', 'test_failed', 'failed', 'would create', 'would update', 'would delete']),
  remark: maybe,
})

const ProfileShown = z.object({
  name: text,
  current: z.boolean(),
  base_url: text,
  key: maybe,
  output: maybe,
  vocabulary: maybe,
  routes: z.array(text),
  protected: z.boolean(),
  read_only: z.boolean(),
}) satisfies z.ZodType<ShownProfile>

const SettingsShown = z.object({
  profile: text,
  base_url: text,
  key: text,
  output: text,
  timeout: z.number().describe('Seconds'),
  retries: z.int(),
  vocabulary: maybe,
  routes: z.record(text, z.unknown()).nullable(),
  protected: z.boolean(),
  read_only: z.boolean(),
  origin: z.record(text, text).optional().describe('With --origin: where each came from'),
})

const Entry = z.object({
  id: text,
  at: text,
  endpoint: text,
  input: z.unknown(),
  profile: text,
  base_url: text,
  idempotency_key: text,
  state: z.enum(['open', 'done', 'refused', 'cancelled', 'unknown']) as z.ZodType<ShownEntry['state']>,
  settled_at: maybe,
  detail: z.unknown(),
}) satisfies z.ZodType<ShownEntry>

const Check = z.object({
  check: text,
  status: z.enum(['ok', 'warning', 'failed']),
  detail: text,
  hint: maybe,
  noun: maybe,
  id: idOrNone,
  name: maybe,
}) satisfies z.ZodType<DoctorFinding>

const Ref = z.object({
  direction: z.enum(['used_by', 'uses']),
  noun: text,
  kind: text,
  id: idOrNone,
  name: maybe,
  field: text,
  live: z.boolean().nullable(),
  state: z.enum(['there', 'missing', 'unknown']),
  loss: maybe,
}) satisfies z.ZodType<Row>
const Compared = z.object({
  endpoint: text,
  case: z.enum(['answer', 'not found', 'rejected', 'without a key']),
  status: z.enum(['same', 'tolerated', 'drift', 'skipped']),
  differences: z.array(z.object({ path: text, expected: text, seen: text, tolerated: z.boolean() })),
  note: maybe,
})

const RowsDone = z.looseObject({
  file: text,
  rows: z.int(),
  done: z.int(),
  reached_before: z.int(),
  done_before: z.int(),
  already: z.int(),
  failed: z.int(),
  invalid: z.int(),
  unknown: z.int(),
  left: z.int(),
  seconds: z.number(),
  failed_file: maybe,
}) satisfies z.ZodType<RowsResult>

const Kept = z.looseObject({
  entry: z.int(),
  at: text,
  profile: text,
  base_url: text,
  noun: text,
  id: text,
  name: maybe,
  action: z.enum(['update', 'delete', 'restore', 'create']),
  command: text,
  state: z.enum(['open', 'done', 'unknown']),
  request_id: maybe,
  fields: z.array(text),
  pointers: z.array(z.object({ noun: text, id: z.union([z.number(), text]), name: maybe, field: text })),
}) satisfies z.ZodType<Listed>

const Written = z.object({
  at: text,
  profile: text,
  host: text,
  command: text,
  endpoint: text,
  id: maybe,
  fields: z.array(text),
  status: z.int().nullable(),
  outcome: z.enum(['done', 'refused', 'unknown']),
  request_id: maybe,
  entry: z.int().nullable(),
}) satisfies z.ZodType<Write>

const Spoken = z.object({
  type: z.literal('item'),
  conversation_id: text,
  message: text,
  reply: text,
  function_calls: z.array(z.object({ name: text, arguments: z.looseObject({}), result: z.looseObject({}) })),
})

const Assistant = itemSchema(assistants.list)
const Automation = (itemSchema(automate.get) as z.ZodObject).partial().extend({ updated: z.boolean().optional().describe('False when it was so already') })

function table(): Readonly<Record<string, z.ZodType>> {
  return {
    'assistants get': Assistant,
    'assistants enable-webhook': Done,
    'assistants disable-webhook': Done,
    'leads update': Done,
    'leads import': RowsDone,
    'messaging send': z.union([messaging.send.output, messaging.sendFreeform.output, RowsDone]),
    'conversations get': conversations.get.output.omit({ status: true }),
    'conversations chat': z.array(Spoken),
    'automate update': z
      .looseObject({ id: text.optional(), name: text.optional() })
      .describe('The automation as it is now; after a new flow, what publishing it told'),
    'automate enable': Automation,
    'automate disable': Automation,
    'automate templates': z.union([z.array(AutomationTemplate), AutomationTemplate]),
    'automate restore': (itemSchema(automate.restore) as z.ZodObject).extend({
      restored_version_id: maybe,
      difference: DifferenceShown.nullable(),
      live: z.looseObject({ status: text, version_id: maybe }).optional().describe('What is live after it, read back'),
    }),
    'automate versions list': z.array(
      (itemSchema(automate.versions) as z.ZodObject).extend({
        number: z.int().nullable().describe('What --to, --from and --number take; null for the draft'),
        id: maybe,
        published_at: maybe,
        state: z.enum(['live', 'published', 'draft', 'history']).describe('history: only in the history of this computer'),
      }),
    ),
    'automate diff': DifferenceShown,
    'automate test': RehearsalShown,
    'automate lint': z.array(LintShown),
    'automate pull': z.array(FileStanding),
    'automate push': z.array(z.union([Pushed, FileStanding])),
    pull: z.array(FileStanding),
    push: z.array(z.union([Pushed, FileStanding])),
    diff: z.array(FileDiffering),
    'history list': z.array(z.union([Kept, Written])),
    'history get': Kept.extend({ before: z.record(text, z.unknown()).nullable(), sent: z.record(text, z.unknown()).nullable() }),
    'history diff': z.object({
      entry: z.int(),
      noun: text,
      id: text,
      gone: z.boolean(),
      differences: z.array(z.object({ field: text, copy: z.unknown(), live: z.unknown() })),
    }),
    'history undo': z.looseObject({ entry: z.int(), noun: text, id: z.union([z.number(), text]), done: text, fields: z.array(text), undo: z.int().nullable() }),
    'server status': (platform.status.output as z.ZodObject).extend({
      running: z.boolean(),
      url: maybe,
      pid: z.int().nullable(),
      started_at: maybe,
      vocabulary: text,
      data_folder: text,
    }),
    'server stop': Done,
    'server seed': keyed,
    'server reset': keyed,
    'server start': z.object({ url: text, key: text }),
    'server faults clear': z.object({ message: text }),
    'server accounts create': (itemSchema(accounts.create) as z.ZodObject).extend({ key: text.describe('Shown once') }),
    'server accounts key': z.object({ key: text.describe('Shown once') }),
    'server check': z.array(z.object({ what: text, status: z.enum(['ok', 'damaged', 'wrong', 'rebuilt']), found: text })),
    'server purge': (platform.purge.output as z.ZodObject).extend({
      spends: z.int().describe('Entries of the journal that were forgotten'),
      copies: z.int().describe('Of the history'),
      writes: z.int().describe('Lines of the log of writes'),
      ledgers: z.int().describe('Files of rows whose done ones were remembered'),
    }),
    'server snapshot restore': keyed,
    'profile list': z.array(ProfileShown),
    'profile get': SettingsShown,
    'profile set': ProfileShown,
    'profile use': z.object({ current: text }),
    'profile delete': Done,
    'ops list': z.array(Entry),
    'ops get': Entry,
    'ops reconcile': z.array(Entry),
    'ops close': Entry,
    login: (user.me.output as z.ZodObject)
      .partial()
      .extend({ profile: text, base_url: text, key: text, vocabulary: maybe, vocabulary_source: z.enum(['flag', 'profile', 'detected', 'default']) }),
    ...Object.fromEntries(Object.keys(refs.verbs).map((it) => [`refs ${it}`, z.array(Ref)])),
    doctor: z.array(z.union([Check, Compared])),
    whoami: (user.me.output as z.ZodObject).extend({ profile: text, base_url: text, via: text, key: maybe, origin: z.record(text, text) }),
    api: z.unknown().describe('The answer as the platform sent it (parley schema <endpoint> --output-schema); with --list the endpoints'),
    schema: z.looseObject({}).describe('A JSON Schema (draft 2020-12)'),
    commands: z.array(z.looseObject({ command: text, risk: text, exit_codes: z.array(z.looseObject({ code: z.int() })) })),
  }
}

let made: ReturnType<typeof table> | undefined

/** What commands print in place of what their endpoint answers, by their words. */
export const own = (): ReturnType<typeof table> => (made ??= table())
