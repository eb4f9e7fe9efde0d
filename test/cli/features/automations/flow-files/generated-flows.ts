import fc from 'fast-check'

type Node = Record<string, unknown>

/** Pieces that public flows name most, and some that are available. */
const foreign =
  'ai slack date-helper forms data-mapper text-helper google-drive notion openai google-calendar hubspot tables rss csv pdf trello'.split(
    ' ',
  )
const words = fc.constantFrom(
  'a',
  'Order 12',
  'Best regards',
  'text {{trigger.email}}',
  "{{trigger['body']['name']}}",
  '{{step_1.output.id}}',
  "{{step_2['items']}}",
  '',
  '{{ 1 + 1 }}',
)
const values = fc.oneof(
  words,
  fc.integer({ min: 0, max: 5000 }),
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
  fc.array(words, { maxLength: 3 }),
)
const fieldNames = fc.constantFrom(
  'prompt',
  'channel',
  'maxOutputTokens',
  'conversationKey',
  'rowPrimaryKey',
  'authType',
  'text',
  'webSearch',
  'subject',
  'values',
  'memKey',
)
const input = fc
  .dictionary(fieldNames, values, { maxKeys: 5 })
  .chain((value) =>
    fc.option(fc.constant("{{connections['sample']}}")).map((auth) => (auth === null ? value : { ...value, auth })),
  )
const propertySettings = fc.dictionary(
  fc.constantFrom('auth', 'authFields', 'apiKey', 'token', 'channel', 'maxOutputTokens'),
  fc.record({ type: fc.constantFrom('MANUAL', 'DYNAMIC'), schema: fc.constant({}) }, { requiredKeys: ['type'] }),
  { maxKeys: 4 },
)
const option = fc.record({ value: fc.boolean(), hide: fc.boolean() }, { requiredKeys: ['value'] })
/** What editors keep with a step. */
const saved = fc.record(
  {
    propertySettings,
    inputUiInfo: fc.constant({ customizedInputs: {}, currentSelectedData: {} }),
    sampleData: fc.constant({ sampleDataFileId: 'abc', lastTestDate: '2026-01-01T00:00:00.000Z' }),
    errorHandlingOptions: fc.record({ continueOnFailure: option, retryOnFailure: option }, { requiredKeys: [] }),
    packageType: fc.constant('REGISTRY'),
    pieceType: fc.constantFrom('OFFICIAL', 'CUSTOM'),
    pieceVersion: fc.constantFrom('~0.1.20', '0.4.10', '^1.0.0'),
  },
  { requiredKeys: [] },
)
const operators = fc.constantFrom(
  'TEXT_EXACTLY_MATCHES',
  'TEXT_CONTAINS',
  'NUMBER_IS_EQUAL_TO',
  'NUMBER_IS_GREATER_THAN',
  'DATE_IS_EQUAL',
  'LIST_CONTAINS',
)
const condition = fc.oneof(
  fc.record(
    { operator: operators, firstValue: words, secondValue: words, caseSensitive: fc.boolean() },
    { requiredKeys: ['operator', 'firstValue', 'secondValue'] },
  ),
  fc.record({
    operator: fc.constantFrom(
      'EXISTS',
      'DOES_NOT_EXIST',
      'BOOLEAN_IS_TRUE',
      'BOOLEAN_IS_FALSE',
      'LIST_IS_EMPTY',
      'LIST_IS_NOT_EMPTY',
    ),
    firstValue: words,
  }),
)
const conditions = fc.array(fc.array(condition, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 })
const common = fc.record(
  {
    displayName: fc.constantFrom('Step', 'Ask AI', 'Ä & ö'),
    valid: fc.boolean(),
    skip: fc.boolean(),
    lastUpdatedDate: fc.constant('2026-01-01T00:00:00.000Z'),
  },
  { requiredKeys: ['displayName'] },
)

const piece = (name: string, actionName: string, own: Node) => ({
  pieceName: `@activepieces/piece-${name}`,
  actionName,
  input: own,
})
const foreignStep = fc
  .tuple(fc.constantFrom(...foreign), fc.constantFrom('send', 'get_value', 'custom_api_call'), input, saved)
  .map(([name, action, own, more]) => ({
    type: 'PIECE',
    settings: { ...piece(name, action, own), ...more },
  }))
const nativeStep = fc
  .tuple(
    fc.constantFrom(
      piece('http', 'send_request', { method: 'GET', url: 'https://a.test/', headers: {}, queryParams: {} }),
      piece('store', 'get', { key: 'k', store_scope: 'FLOW' }),
      piece('delay', 'delayFor', { unit: 'days', delayFor: 2 }),
      piece('gmail', 'send_email', { receiver: ['ada@a.test'], subject: 's', body: 'b', body_type: 'plain_text' }),
      piece('google-sheets', 'insert_row', { spreadsheet_id: 's', values: {} }),
    ),
    saved,
  )
  .map(([settings, more]) => ({ type: 'PIECE', settings: { ...settings, ...more } }))
const codeStep = fc
  .tuple(
    fc.constantFrom(
      'export const code = async (inputs) => inputs;',
      'export const code = async (inputs) => {\n  return { ok: true }\n};',
      "const axios = require('axios');\nexports.code = async (inputs) => axios.get(inputs.url);",
      "import _ from 'lodash';\nexport const code = async (inputs) => _.keys(inputs);\n",
    ),
    fc.constantFrom('{}', '{"dependencies": {"axios": "^1.0.0"}}', ''),
    input,
  )
  .map(([code, packageJson, own]) => ({
    type: 'CODE',
    settings: { sourceCode: { code, packageJson }, input: own },
  }))
const leaf = fc.oneof({ weight: 4, arbitrary: foreignStep }, { weight: 2, arbitrary: nativeStep }, codeStep)

/** Chains of steps with branches and loops in them, without names yet. */
const chains = fc.letrec<{ chain: Node[]; step: Node }>((tie) => ({
  chain: fc.array(tie('step'), { minLength: 1, maxLength: 4, depthIdentifier: 'flow' }),
  step: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'flow' },
    leaf,
    fc
      .tuple(fc.constantFrom("{{step_1['items']}}", '{{step_2.rows}}', '{{trigger.files}}'), tie('chain'))
      .map(([items, inner]) => ({ type: 'LOOP_ON_ITEMS', settings: { items }, inner: { firstLoopAction: inner } })),
    fc.tuple(conditions, fc.option(tie('chain')), fc.option(tie('chain'))).map(([given, yes, no]) => ({
      type: 'BRANCH',
      settings: { conditions: given },
      inner: { ...(yes && { onSuccessAction: yes }), ...(no && { onFailureAction: no }) },
    })),
    fc
      .tuple(
        fc.array(fc.tuple(conditions, fc.option(tie('chain'))), { minLength: 1, maxLength: 3 }),
        fc.option(tie('chain')),
        fc.boolean(),
      )
      .map(([ways, otherwise, all]) => ({
        type: 'ROUTER',
        settings: {
          branches: [
            ...ways.map(([given], at) => ({ branchType: 'CONDITION', branchName: `Way ${at}`, conditions: given })),
            { branchType: 'FALLBACK', branchName: 'Otherwise' },
          ],
          executionType: all ? 'EXECUTE_ALL_MATCH' : 'EXECUTE_FIRST_MATCH',
        },
        children: [...ways.map(([, chain]) => chain), otherwise],
      })),
  ),
}))

/** Names the steps of a chain in order, and hangs each on the one before it. */
function linked(chain: readonly Node[], count: { n: number }): Node | null {
  const [first, ...rest] = chain
  if (!first) return null
  count.n += 1
  const { inner, children, ...node } = first
  const named: Node = { name: `step_${count.n}`, displayName: `Step ${count.n}`, ...node }
  for (const [field, child] of Object.entries((inner ?? {}) as Record<string, Node[]>))
    named[field] = linked(child, count)
  if (children) named.children = (children as (Node[] | null)[]).map((it) => it && linked(it, count))
  const next = linked(rest, count)
  if (next) named.nextAction = next
  return named
}

const triggers = fc.oneof(
  fc.constant({
    type: 'PIECE_TRIGGER',
    settings: { pieceName: '@activepieces/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
  }),
  fc.constant({
    type: 'PIECE_TRIGGER',
    settings: {
      pieceName: '@activepieces/piece-schedule',
      triggerName: 'every_day',
      input: { hour_of_the_day: 8, timezone: 'UTC', run_on_weekends: true },
    },
  }),
  fc.tuple(fc.constantFrom(...foreign), input, saved).map(([name, own, more]) => ({
    type: 'PIECE_TRIGGER',
    settings: { pieceName: `@activepieces/piece-${name}`, triggerName: 'new_item', input: own, ...more },
  })),
)

const flow = fc
  .tuple(triggers, chains.chain, common, fc.option(fc.constantFrom<unknown>('16', '18', 7)))
  .map(([trigger, chain, extra, schemaVersion]) => ({
    displayName: 'Generated flow',
    ...(schemaVersion !== null && { schemaVersion }),
    valid: true,
    trigger: {
      name: 'trigger',
      displayName: 'Start',
      valid: extra.valid ?? true,
      ...trigger,
      nextAction: linked(chain, { n: 0 }),
    },
  }))

/** Files as people export them, in every shape that holds a flow. */
export const exportedFiles: fc.Arbitrary<object> = fc
  .tuple(flow, fc.integer({ min: 0, max: 6 }))
  .map(([exported, shape]) => {
    const about = { name: 'Generated', tags: [{ title: 'AI', color: '#fff' }], categories: [], metadata: null }
    const shapes: readonly object[] = [
      {
        ...about,
        type: 'SHARED',
        summary: '',
        description: '',
        status: 'PUBLISHED',
        tables: [],
        flows: [{ ...exported, notes: [] }],
      },
      {
        name: 'Generated',
        description: '',
        template: exported,
        pieces: ['@activepieces/piece-ai'],
        blogUrl: '',
        id: 'x',
      },
      { name: 'Generated', flow: exported },
      { name: 'Generated', version: { ...exported, connectionIds: [] } },
      { id: 'x', status: 'ENABLED', publishedVersionId: 'y', version: { ...exported, connectionIds: ['sample'] } },
      exported,
      exported.trigger,
    ]
    return shapes[shape] as object
  })
