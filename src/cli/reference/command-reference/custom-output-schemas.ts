import type { BudgetUse } from '../../../client/journal/profile-budget.ts'
import { AutomationTemplate } from '../../../contract/automations/automation-records.ts'
import { accounts } from '../../../contract/control/accounts.ts'
import { platform } from '../../../contract/control/platform.ts'
import { composedCalls } from '../../../contract/endpoint/composed-calls.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { type ResourceKind, resourceLists } from '../../../contract/references/resource-references.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { BillingSummary } from '../../../contract/resources/billing.ts'
import { calls } from '../../../contract/resources/calls.ts'
import { campaigns } from '../../../contract/resources/campaigns.ts'
import { conversations } from '../../../contract/resources/conversations.ts'
import { endpoints } from '../../../contract/resources/index.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import { numbers } from '../../../contract/resources/numbers.ts'
import { sms } from '../../../contract/resources/sms.ts'
import { user } from '../../../contract/resources/user.ts'
import * as z from '../../../contract/schema/schema.ts'
import { budgetPeriods } from '../../../contract/values/budgets.ts'
import { FileChatTurn } from '../../features/assistant-chat/chat-turn.ts'
import { type AuditFinding, auditCategories } from '../../features/audit/audit-account.ts'
import type { ComparedNoun } from '../../features/audit/audit-reports.ts'
import { ShownAutomation } from '../../features/automations/shown-automation.ts'
import type { RowsResult } from '../../features/bulk/print-summary.ts'
import {
  type ConformanceResult,
  cases,
  conformanceStatuses,
} from '../../features/doctor/conformance/conformance-report.ts'
import type { Finding as DoctorFinding } from '../../features/doctor/finding.ts'
import { CriterionSummary, JudgedItem } from '../../features/judge/criterion-result.ts'
import type { Resumed } from '../../features/stop/resume-command.ts'
import type { Stopped } from '../../features/stop/stop-command.ts'
import type { ShownSummary } from '../../nouns/billing/print-summary.ts'
import { CallMessage, ExportedCall } from '../../nouns/calls/export.ts'
import { exportedConversation, exportedMessage } from '../../nouns/conversations/exported-conversation.ts'
import type { Rotated } from '../../nouns/keys/rotate.ts'
import type { ShownProfile } from '../../nouns/profile/view.ts'
import type { CheckRow } from '../../nouns/server/data.ts'
import { commandTree } from '../../program/commandline/command-tree.ts'
import { approvalChoices } from '../../program/configuration/profiles.ts'
import type { ReferenceRow } from '../../program/dependencies/reference-rows.ts'
import { groupNoun } from '../../program/history/entries.ts'
import type { UndoResult } from '../../program/history/undo-result.ts'
import type { ChangedRow } from '../../program/lists/change-selected.ts'
import type { NamedItem } from '../../program/output/named-items.ts'
import { itemSchema } from '../../program/output/tables/item-shape.ts'
import { kindToken, recordedNouns, resources } from '../../program/resources/registry.ts'
import { DifferenceSchema, LintSchema, RehearsalSchema } from './automation-schemas.ts'
import { fileSchemas } from './file-schemas.ts'
import {
  historyEntrySchema,
  JournalEntrySchema,
  ListedPendingSchema,
  PendingSchema,
  WriteLogSchema,
} from './journal-schemas.ts'
import { testSchemas } from './test-schemas.ts'
import { transferSchemas } from './transfer-schemas.ts'

const resourceKinds = Object.keys(resourceLists) as ResourceKind[]
const text = z.string()
const optionalText = text.nullable()
/** Output of every deletion, and of other commands that print only a message about a resource. */
export const MessageResult = z.object({ id: z.union([z.number(), z.string()]), message: text })

const KeyResult = z.object({ message: text, key: text })

const idOrNone = z.union([z.number(), text]).nullable()

const BudgetSchema = (
  z.object({
    amount: z.number().describe('USD'),
    period: z.enum(budgetPeriods),
    spent: z.number().describe('USD in this period, as far as the journal knows: charged, or the maximum of it'),
    reserved: z.number().describe('USD of spent for what waits for the contact hours, or did'),
    left: z.number().describe('USD'),
    renews_at: text,
    unpriced: z.int().describe('Operations whose price the journal does not know; they count as free'),
  }) satisfies z.ZodType<BudgetUse>
).nullable()

const ProfileSchema = z.object({
  name: text,
  current: z.boolean(),
  base_url: text,
  key: optionalText,
  output: optionalText,
  vocabulary: optionalText,
  routes: z.array(text),
  protected: z.boolean(),
  read_only: z.boolean(),
  confirm_above: z.number().nullable(),
  budget: BudgetSchema,
  approvals: z.enum(approvalChoices),
  history: z.enum(['on', 'off']),
}) satisfies z.ZodType<ShownProfile>

const SettingsSchema = z.object({
  profile: text,
  base_url: text,
  key: text,
  output: text,
  timeout: z.number().describe('Seconds'),
  retries: z.int(),
  vocabulary: optionalText,
  routes: z.record(text, z.unknown()).nullable(),
  protected: z.boolean(),
  read_only: z.boolean(),
  confirm_above: z.number().nullable(),
  budget: BudgetSchema,
  history: z.enum(['on', 'off']),
  origin: z.record(text, text).optional().describe('With --origin: the source of each value'),
})

const NamedItemSchema = z.object({
  noun: text,
  id: z.union([z.number(), text]),
  name: optionalText,
}) satisfies z.ZodType<NamedItem>

const StoppedSchema = z.object({
  stopped: z.boolean(),
  by: z.enum(['platform', 'client']),
  account: optionalText,
  stopped_at: optionalText.describe('Since when; null where the platform does not say it'),
  items: z.array(NamedItemSchema.extend({ noun: z.enum(['campaigns', 'automate']) })),
  runs: z.int().nullable(),
  calls: z.int().nullable().describe('Outbound calls in progress, which continue without --hang-up'),
  waiting: z.int().nullable().describe('Messages, SMS and calls that wait for the contact hours'),
  finishing: z.int().nullable().describe('Steps, messages and calls that began before and have not ended'),
  ended_calls: z.array(z.int()),
  left: z.array(NamedItemSchema.extend({ noun: z.enum(['campaigns', 'automate']), reason: text })),
  not_stopped: z.array(text),
  entry: z.int().nullable().describe('The history entry of the stop'),
}) satisfies z.ZodType<Stopped>

const ResumedSchema = z.object({
  resumed: z.boolean(),
  by: z.enum(['platform', 'client']).nullable(),
  stopped_at: optionalText,
  items: z.array(NamedItemSchema.extend({ result: z.enum(['restored', 'unchanged', 'failed']), reason: optionalText })),
}) satisfies z.ZodType<Resumed>

const RotatedSchema = z.object({
  profile: text,
  name: text,
  old_id: z.int(),
  new_id: z.int(),
  deleted: z.boolean().describe('Whether the old key was deleted'),
  saved_in: z.enum(['file', 'keychain']),
}) satisfies z.ZodType<Rotated>

/** Output of a command that changed several resources. */
export const ChangedRowsSchema = z.array(
  z.object({
    id: z.union([z.number(), text]),
    name: optionalText,
    result: z.enum(['done', 'unchanged', 'planned', 'failed']),
    error: optionalText,
    changes: z
      .array(z.object({ field: text, before: z.unknown(), after: z.unknown() }))
      .optional()
      .describe('With --dry-run of a command that sets fields: those whose value changes'),
  }) satisfies z.ZodType<ChangedRow>,
)

const FindingSchema = z.object({
  check: text,
  status: z.enum(['ok', 'warning', 'failed']),
  detail: text,
  hint: optionalText,
  noun: optionalText,
  id: idOrNone,
  name: optionalText,
}) satisfies z.ZodType<DoctorFinding>

const referenceSchema = () =>
  z.object({
    direction: z.enum(['used_by', 'uses']),
    noun: z.enum(resourceKinds.map((it) => resources[it].noun)),
    kind: z.enum(resourceKinds.map(kindToken)),
    id: idOrNone,
    name: optionalText,
    field: text,
    live: z.boolean().nullable(),
    state: z.enum(['present', 'missing', 'unknown']),
    loss: optionalText,
  }) satisfies z.ZodType<ReferenceRow>

const ConformanceSchema = z.object({
  endpoint: text,
  case: z.enum(cases),
  status: z.enum(conformanceStatuses),
  differences: z.array(z.object({ path: text, expected: text, seen: text, tolerated: z.boolean() })),
  note: optionalText,
}) satisfies z.ZodType<ConformanceResult>

const RowsResultSchema = z.looseObject({
  file: text,
  rows: z.int(),
  done: z.int(),
  reached_before: z.int(),
  done_before: z.int(),
  already: z.int(),
  failed: z.int(),
  invalid: z.int(),
  waiting: z.int().describe('Rows that wait on the platform until the contact hours are open'),
  skipped: z.int(),
  skipped_rows: z.array(z.object({ line: z.int(), phone_number: text })).describe('The first 20 of the skipped rows'),
  unknown: z.int(),
  left: z.int(),
  seconds: z.number(),
  cost_usd: z.number().nullable().optional().describe('Of messages and SMS: cost of the rows; null if unknown'),
  failed_file: optionalText,
}) satisfies z.ZodType<RowsResult>

const ChatItemSchema = z.object({
  type: z.literal('item'),
  conversation_id: text,
  message: text,
  reply: text,
  function_calls: z.array(z.object({ name: text, arguments: z.looseObject({}), result: z.looseObject({}) })),
})

const AuditFindingSchema = z.object({
  category: z.enum(auditCategories),
  noun: text,
  id: z.union([z.number(), text]),
  name: optionalText,
  detail: text,
  since: optionalText.describe('Time of the last use or change, ISO 8601'),
  age_days: z.int().nullable(),
  monthly_usd: z.number().nullable().describe('Price in USD per month, where the platform shows one'),
  commands: z.array(text).describe('The commands that help, in order'),
}) satisfies z.ZodType<AuditFinding>

const AuditSideSchema = z.object({
  resources: z.int(),
  unused: z.int(),
  stale: z.int(),
  duplicate: z.int(),
  orphaned: z.int(),
  over_privileged: z.int(),
  monthly_usd: z.number().nullable(),
})

const auditedName = z.array(z.enum(auditCategories)).nullable().describe('Categories of its findings; null without it')

const ComparedNounSchema = z
  .object({
    noun: text,
    here: AuditSideSchema,
    there: AuditSideSchema,
    differences: z.array(z.object({ name: text, here: auditedName, there: auditedName })).nullable(),
  })
  .describe('With --compare: what this account and the other have of a noun') satisfies z.ZodType<ComparedNoun>

const AutomationSchema = (itemSchema(automate.get) as z.ZodObject)
  .partial()
  .extend({ updated: z.boolean().optional().describe('False if nothing changed') })

/** Returns the output schemas of commands that find one resource in its list, by command. */
const composedSchemas = (): Readonly<Record<string, z.ZodType>> =>
  Object.fromEntries(
    composedCalls.map(({ command, of }) => [
      command.replace(/^parley | <id>$/g, ''),
      itemSchema(endpoints.find((it) => it.name === of) as Endpoint),
    ]),
  )

/** Output schema of `billing summary`. */
const BillingSummarySchema = BillingSummary.extend({
  journal: z
    .array(
      z.object({
        endpoint: z.string(),
        done: z.int(),
        unknown: z.int(),
        amount_usd: z.number().nullable().describe('Cost of those that were done; null if one of them is not known'),
      }),
    )
    .nullable()
    .describe('Operations of this month in the journal of this machine; null where the platform reports billing'),
}) satisfies z.ZodType<ShownSummary>

const InspectorLink = z.object({
  url: text.describe('Link that signs in once'),
  page: text.describe('Address of the page'),
})

const judgedSchema = () =>
  z.array(z.union([JudgedItem, CriterionSummary.describe('With --summary: the score of a criterion')]))

function buildSchemas(): Readonly<Record<string, z.ZodType>> {
  return {
    ...composedSchemas(),
    'conversations search': z.array(exportedMessage),
    'conversations export': z.array(exportedConversation()),
    'calls start': calls.get.output,
    'calls export': z.array(ExportedCall),
    'calls search': z.array(CallMessage),
    'calls judge': judgedSchema(),
    'conversations judge': judgedSchema(),
    'sms send': z.union([itemSchema(sms.send), RowsResultSchema]),
    'assistants enable-webhook': MessageResult,
    'assistants disable-webhook': MessageResult,
    'leads update': MessageResult,
    'contacts import': RowsResultSchema,
    'leads import': RowsResultSchema,
    'messaging send': z.union([
      messaging.send.output,
      messaging.sendFreeform.output,
      itemSchema(messaging.list),
      RowsResultSchema.extend({
        deliveries: z.record(text, z.int()).optional().describe('With --wait: number of messages by delivery status'),
      }),
    ]),
    'messaging get': itemSchema(messaging.list),
    'messaging get-template': itemSchema(messaging.templates),
    // With --wait the campaign, and the number as the list has it.
    'campaigns start': z.union([itemSchema(campaigns.updateStatus), itemSchema(campaigns.get)]),
    'numbers buy': z.union([itemSchema(numbers.buy), itemSchema(numbers.list)]),
    'conversations get': conversations.get.output.omit({ status: true }),
    'conversations chat': z.array(ChatItemSchema),
    'assistants chat': z.union([FileChatTurn, z.array(ChatItemSchema)]),
    'automate get': ShownAutomation,
    'automate update': z
      .looseObject({ id: text.optional(), name: text.optional() })
      .describe('The updated automation; after a new flow, the result of publishing it'),
    'automate enable': AutomationSchema,
    'automate disable': AutomationSchema,
    'automate templates': z.union([z.array(AutomationTemplate), AutomationTemplate]),
    'automate restore': (itemSchema(automate.restore) as z.ZodObject).extend({
      restored_version_id: optionalText,
      difference: DifferenceSchema.nullable(),
      live: z
        .looseObject({ status: text, version_id: optionalText })
        .optional()
        .describe('The live version after the restore, read back'),
    }),
    'automate versions list': z.array(
      (itemSchema(automate.versions) as z.ZodObject).extend({
        number: z.int().nullable().describe('Version number for --to, --from and --number; null for the draft'),
        id: optionalText,
        published_at: optionalText,
        state: z
          .enum(['live', 'published', 'draft', 'history'])
          .describe('history: only in the history of this machine'),
      }),
    ),
    'automate diff': DifferenceSchema,
    'automate test': RehearsalSchema,
    'automate lint': z.array(LintSchema),
    'automate runs save': z.object({ run: text, file: text }).describe('Without --as-test -'),
    ...fileSchemas,
    'history list': z.array(z.union([historyEntrySchema(), WriteLogSchema])),
    'history get': historyEntrySchema().extend({
      before: z.record(text, z.unknown()).nullable(),
      sent: z.record(text, z.unknown()).nullable(),
    }),
    'history diff': z.object({
      entry: z.int(),
      noun: z.enum(recordedNouns()),
      id: text,
      gone: z.boolean(),
      not_compared: z.array(z.string()).optional(),
      differences: z.array(z.object({ field: text, copy: z.unknown(), live: z.unknown() })),
    }),
    'history undo': z.looseObject({
      entry: z.int(),
      noun: z.enum([...recordedNouns(), groupNoun]),
      id: z.union([z.number(), text]),
      done: z.enum(['restored', 'created', 'deleted', 'nothing']) satisfies z.ZodType<UndoResult['done']>,
      fields: z.array(text),
      undo: z
        .union([z.int(), z.literal(false)])
        .nullable()
        .describe('The entry of this undo; false if it was not saved'),
    }),
    'keys rotate': RotatedSchema,
    stop: StoppedSchema,
    resume: ResumedSchema,
    'server status': (platform.status.output as z.ZodObject).extend({
      running: z.boolean(),
      url: optionalText,
      pid: z.int().nullable(),
      started_at: optionalText,
      vocabulary: text,
      data_folder: text,
    }),
    'server stop': MessageResult,
    'server seed': KeyResult,
    'server reset': KeyResult,
    'server faults clear': z.object({ message: text }),
    'server accounts create': (itemSchema(accounts.create) as z.ZodObject).extend({ key: text.describe('Shown once') }),
    'server accounts key': z.object({ key: text.describe('Shown once') }),
    'server purge': (platform.purge.output as z.ZodObject).extend({
      spends: z.int().describe('Deleted entries of the operations journal'),
      copies: z.int().describe('Deleted history entries'),
      writes: z.int().describe('Deleted lines of the write log'),
      ledgers: z.int().describe('Deleted progress files of bulk operations'),
    }),
    'server snapshot restore': KeyResult,
    'server restore': KeyResult,
    ...transferSchemas,
    'billing summary': BillingSummarySchema,
    'server start': z.object({
      url: text,
      key: optionalText,
      control_token: optionalText,
      pid: z.int().optional().describe('With --detach: the process'),
      log: text.optional().describe('With --detach: the file with its output'),
    }),
    'server check': z.array(
      z.object({
        what: text,
        status: z.enum(['ok', 'damaged', 'wrong', 'rebuilt', 'unreadable']),
        found: text,
      }) satisfies z.ZodType<CheckRow>,
    ),
    'skill install': z.object({ file: text, done: z.enum(['written', 'updated', 'unchanged']) }),
    ui: InspectorLink,
    open: InspectorLink,
    ...testSchemas,
    'profile list': z.array(ProfileSchema),
    'profile get': SettingsSchema,
    'profile set': ProfileSchema,
    'profile use': z.object({ current: text }),
    'profile delete': MessageResult,
    'ops list': z.array(z.union([JournalEntrySchema, ListedPendingSchema])),
    'ops get': z.union([JournalEntrySchema, PendingSchema]),
    'ops approve': PendingSchema,
    'ops decline': PendingSchema,
    'ops wait': PendingSchema,
    'ops run': z.unknown().describe('The output of the command that was approved'),
    'ops reconcile': z.array(JournalEntrySchema),
    'ops close': JournalEntrySchema,
    login: (user.me.output as z.ZodObject).partial().extend({
      profile: text,
      base_url: text,
      key: text,
      vocabulary: optionalText,
      vocabulary_source: z.enum(['flag', 'profile', 'detected', 'default']),
    }),
    ...Object.fromEntries(
      Object.keys(commandTree().refs?.verbs ?? {}).map((it) => [`refs ${it}`, z.array(referenceSchema())]),
    ),
    audit: z.array(z.union([AuditFindingSchema, ComparedNounSchema])),
    doctor: z.array(z.union([FindingSchema, ConformanceSchema])),
    whoami: (user.me.output as z.ZodObject).extend({
      profile: text,
      base_url: text,
      via: text,
      key: optionalText,
      agent: z.object({ variable: text, name: optionalText }).nullable(),
      stopped_at: optionalText.describe('Since when "parley stop --all" has stopped the account; null otherwise'),
      origin: z.record(text, text),
    }),
    api: z
      .unknown()
      .describe(
        'The response as the platform sent it (parley schema <endpoint> --output-schema); with --list, the endpoints',
      ),
    schema: z.looseObject({}).describe('A JSON Schema (draft 2020-12)'),
    commands: z.array(
      z.looseObject({ command: text, risk: text, exit_codes: z.array(z.looseObject({ code: z.int() })).optional() }),
    ),
  }
}

let cachedSchemas: ReturnType<typeof buildSchemas> | undefined

/**
 * Returns the output schemas of commands that do not print the response of their endpoint, by their words. `parley
 * commands`, the reference and `--fields` have them: each must equal what its command prints. Nothing checks that while a command
 * runs; a test (every-form.ts) runs each command and compares its JSON. Scripts read it: fields are added, not renamed.
 */
export const customOutputSchemas = (): ReturnType<typeof buildSchemas> => (cachedSchemas ??= buildSchemas())
