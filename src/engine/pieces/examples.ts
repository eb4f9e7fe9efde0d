import type { JsonObject } from '../definition/node.ts'

/** Input of each action and trigger, by piece and name, for the reference. A test runs each of them. */
export const pieceExamples: Readonly<Record<string, JsonObject>> = {
  'webhook.catch_webhook': { authType: 'header', authFields: { headerName: 'X-Token', headerValue: 't_1' } },
  'webhook.catch_request': { authType: 'none' },
  'webhook.return_response': {
    responseType: 'json',
    fields: { status: 200, headers: { 'X-Version': '1' }, body: { greeting: 'Hello {{trigger.body.name}}' } },
  },
  'webhook.return_response_and_wait_for_next_webhook': {
    responseType: 'json',
    fields: { status: 202, body: { next: '{{trigger.body.name}}' } },
  },
  'schedule.every_x_minutes': { minutes: 15 },
  'schedule.every_hour': { run_on_weekends: true },
  'schedule.every_day': { hour_of_the_day: 9, timezone: 'Europe/Paris', run_on_weekends: true },
  'schedule.every_week': { day_of_the_week: 1, hour_of_the_day: 9, timezone: 'Europe/Paris' },
  'schedule.every_month': { day_of_the_month: 1, hour_of_the_day: 9, timezone: 'Europe/Paris' },
  'schedule.cron_expression': { cronExpression: '0 9 * * 1-5', timezone: 'Europe/Paris' },
  'platform.phoneCallEnded': { assistant: 1 },
  'platform.inboundCall': { assistant: 1 },
  'platform.newConversation': { assistant: 1 },
  'platform.sendSms': { from: 4, to: '+14155550142', body: 'Your table is ready.' },
  'platform.sendTemplate': {
    sender: 1,
    template: 'appointment_reminder',
    to: '+14155550142',
    variables: { first_name: 'Ada', appointment_time: '9 am' },
  },
  'platform.sendMessage': { sender: 1, to: '+14155550142', body: 'We are open until 6 pm.' },
  'platform.makePhoneCall': { assistant: 2, phone_number: '+14155550142', variables: { first_name: 'Ada' } },
  'platform.addLead': { campaign: 1, phone_number: '+14155550142', variables: { first_name: 'Ada' } },
  'platform.requeueLead': { campaign: 1, phone_number: '+14155550142' },
  'platform.deleteLead': { lead: 1 },
  'platform.respondToCall': { variables: { first_name: 'Ada', is_customer: 'yes' } },
  'platform.return_response': { fields: { status: 200, body: { received: true } } },
  'http.send_request': {
    method: 'POST',
    url: 'https://example.com/orders',
    headers: { 'X-Source': 'parley' },
    queryParams: { dry: 'false' },
    authType: 'BEARER_TOKEN',
    authFields: { token: 't_1' },
    body_type: 'json',
    body: { data: { customer: '{{trigger.body.name}}', quantity: 2 } },
    timeout: 10,
  },
  'http.return_response': { status: 200, body: { received: true } },
  'delay.delayFor': { unit: 'minutes', delayFor: 30 },
  'delay.delay_until': { delayUntilTimestamp: '{{trigger.body.reminder}}', timezone: 'Europe/Paris' },
  'approval.create_approval_links': {},
  'approval.wait_for_approval': {},
  'subflows.callableFlow': { exampleData: { name: 'Ada' } },
  'subflows.callFlow': { flow: 'Greeting', flowProps: { payload: { name: 'Ada' } }, waitForResponse: true },
  'subflows.returnResponse': { response: { greeting: 'Hello Ada' } },
  'store.get': { key: 'last_order', store_scope: 'FLOW', defaultValue: 0 },
  'store.put': { key: 'last_order', store_scope: 'FLOW', value: 42 },
  'store.append': { key: 'log', value: 'started', separator: '\\n' },
  'store.add_to_list': { key: 'seen', value: '{{trigger.body.name}}', ignore_if_exists: true },
  'store.remove_from_list': { key: 'seen', value: '{{trigger.body.name}}' },
  'store.remove_value': { key: 'last_order', store_scope: 'FLOW' },
  'mail.send_email': {
    receiver: ['ada@example.com'],
    subject: 'Your order',
    body: '<p>Hello {{trigger.body.name}}</p>',
    body_type: 'html',
    reply_to: 'shop@example.com',
  },
  'mail.send-email': { to: 'ada@example.com', subject: 'Your order', body: 'Hello' },
  'spreadsheet.new_row_added': { spreadsheet_id: 'contacts' },
  'spreadsheet.googlesheets_new_row_added': { spreadsheetId: 'contacts' },
  'spreadsheet.insert_row': { spreadsheet_id: 'contacts', values: { Name: 'Ada', Phone: '+14155550142' } },
  'spreadsheet.update_row': { spreadsheet_id: 'contacts', row_id: 2, values: { Name: 'Ada King' } },
  'spreadsheet.delete_row': { spreadsheet_id: 'contacts', row_id: 2 },
  'spreadsheet.find_rows': { spreadsheet_id: 'contacts', columnName: 'Name', searchValue: 'Ada', numberOfRows: 5 },
  'calendar-a.booking_created': {},
  'calendar-a.booking_rescheduled': {},
  'calendar-a.booking_cancelled': {},
  'calendar-b.invitee_created': {},
  'calendar-b.invitee_canceled': {},
  'crm-b.new_contact': {},
  'crm-b.appointment_created': {},
  ...Object.fromEntries(
    ['calendar-a', 'calendar-b', 'crm-b'].flatMap((piece) => [
      [`${piece}.find_bookings`, { email: 'ada@example.com', from: '2030-01-01', limit: 5 }],
      [
        `${piece}.create_booking`,
        {
          event: 'consultation',
          start: '2030-01-31 09:00',
          timezone: 'Europe/Paris',
          name: 'Ada King',
          email: 'ada@example.com',
        },
      ],
      [`${piece}.reschedule_booking`, { id: 'b_1', start: '2030-02-01 10:00', timezone: 'Europe/Paris' }],
      [`${piece}.cancel_booking`, { id: 'b_1', reason: 'Asked by phone' }],
    ]),
  ),
  'crm-b.find_contact': { email: 'ada@example.com' },
  'crm-b.create_contact': { name: 'Ada King', phone: '+14155550142', tags: ['new'], customFields: { source: 'call' } },
  'crm-b.update_contact': { email: 'ada@example.com', tags: ['customer'] },
  'crm-b.add_note_to_contact': { id: 'c_1', note: 'Called back' },
  'data-mapper.advanced_mapping': { mapping: { name: '{{trigger.body.name}}', source: 'webhook' } },
  'data-mapper.chunk_array': { items: [1, 2, 3, 4, 5], mode: 'size', n: 2 },
  'data-summarizer.calculateAverage': { values: [1, 2, 3] },
  'data-summarizer.calculateSum': { values: [1, 2, 3] },
  'data-summarizer.getMinMax': { values: [1, 2, 3] },
  'data-summarizer.countUniques': {
    values: [{ city: 'Paris' }, { city: 'Lyon' }, { city: 'Paris' }],
    fields: ['city'],
  },
  'json.convert_json_to_text': { json: { name: 'Ada' } },
  'json.convert_text_to_json': { text: '{"name": "Ada"}' },
  'json.run_jq_query': { json: { items: [{ price: 2 }, { price: 3 }] }, query: '[.items[].price] | add' },
  'json.merge_json': { jsonArray: [{ name: 'Ada' }, { city: 'Paris' }], defaultStrategy: 'last' },
  'math-helper.addition_math': { first_number: 2, second_number: 3 },
  'math-helper.subtraction_math': { first_number: 2, second_number: 3 },
  'math-helper.multiplication_math': { first_number: 2, second_number: 3 },
  'math-helper.division_math': { first_number: 6, second_number: 3 },
  'math-helper.modulo_math': { first_number: 7, second_number: 3 },
  'math-helper.generateRandom_math': { first_number: 1, second_number: 6 },
  'crypto.hash-text': { method: 'sha256', text: 'hello' },
  'crypto.hmac-signature': { auth: 'secret', encoding: 'utf-8', method: 'sha256', text: '{{trigger.rawBody}}' },
  'crypto.generate-password': { length: 20 },
  'crypto.generate-uuid': {},
  'crypto.base64-encode': { text: 'hello' },
  'crypto.base64-decode': { text: 'aGVsbG8=' },
  'text-helper.concat': { texts: ['Ada', 'King'], seperator: ' ' },
  'text-helper.replace': { text: 'a-b-c', searchValue: '-', replaceValue: ' ' },
  'text-helper.split': { text: 'a,b,c', delimiter: ',' },
  'text-helper.find': { text: 'Order 42', expression: '\\d+' },
  'text-helper.find_all': { text: 'Orders 42 and 43', expression: '\\d+' },
  'text-helper.markdown_to_html': { markdown: '# Hello\n\n*Ada*', flavor: 'github' },
  'text-helper.html_to_markdown': { html: '<h1>Hello</h1>' },
  'text-helper.stripHtml': { html: '<p>Hello <b>Ada</b></p>' },
  'text-helper.extract_from_html': {
    html: '<a href="/x">Shop</a>',
    target: 'links',
    extractionType: 'attribute',
    attributeName: 'href',
  },
  'text-helper.slugify': { text: 'Opening hours' },
  'text-helper.json_to_ascii_table': { data: [{ name: 'Ada', city: 'Paris' }] },
  'text-helper.defaultValue': { value: '{{trigger.body.city}}', defaultString: 'unknown' },
  'date-helper.get_current_date': { timeFormat: 'YYYY-MM-DD HH:mm', timeZone: 'Europe/Paris' },
  'date-helper.format_date': {
    inputDate: '2026-01-31',
    inputFormat: 'YYYY-MM-DD',
    inputTimeZone: 'UTC',
    outputFormat: 'DD/MM/YYYY',
    outputTimeZone: 'UTC',
  },
  'date-helper.extract_date_parts': {
    inputDate: '2026-01-31',
    inputFormat: 'YYYY-MM-DD',
    unitExtract: ['year', 'dayOfWeek'],
  },
  'date-helper.date_difference': {
    startDate: '2026-01-01',
    startDateFormat: 'YYYY-MM-DD',
    endDate: '2026-01-31',
    endDateFormat: 'YYYY-MM-DD',
    unitDifference: ['day'],
  },
  'date-helper.add_subtract_date': {
    inputDate: '2026-01-31',
    inputDateFormat: 'YYYY-MM-DD',
    outputFormat: 'YYYY-MM-DD',
    expression: '+ 1 month - 2 day',
  },
  'date-helper.next_day_of_week': { weekday: 1, timeFormat: 'YYYY-MM-DD', timeZone: 'Europe/Paris' },
  'date-helper.next_day_of_year': { month: 12, day: 24, timeFormat: 'YYYY-MM-DD', timeZone: 'Europe/Paris' },
  'date-helper.first_day_of_previous_month': { timeFormat: 'YYYY-MM-DD', timeZone: 'Europe/Paris' },
  'date-helper.last_day_of_previous_month': { timeFormat: 'YYYY-MM-DD', timeZone: 'Europe/Paris' },
  'csv.convert_csv_to_json': { csv_text: 'name,city\nAda,Paris', has_headers: true },
  'csv.convert_json_to_csv': { csv_object: [{ name: 'Ada', city: 'Paris' }], has_headers: true },
}

/** A complete definition that shows one kind of step, with the payload of its test. */
export interface DefinitionExample {
  readonly title: string
  /** What the kind of step does, and its fields. */
  readonly text: string
  readonly definition: JsonObject
  readonly sample: JsonObject
  /** Outputs of steps that a local test does not run, by step. */
  readonly mocks?: JsonObject
  /** Status of each step in the test, by path. */
  readonly statuses: Readonly<Record<string, string>>
}

const webhookTrigger = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
} as const

const respond = (body: JsonObject, name?: string): JsonObject => ({
  ...(name !== undefined && { name }),
  type: 'PIECE',
  settings: {
    pieceName: '@engine/piece-webhook',
    actionName: 'return_response',
    input: { responseType: 'json', fields: { status: 200, body } },
  },
})

/** Examples of every kind of step. */
export const definitionExamples: readonly DefinitionExample[] = [
  {
    title: 'HTTP request and response',
    text: 'A step of the type PIECE names a piece and an action in `settings`, and has their input. Later steps read its output by the name of the step; without a `name`, steps are `step_1`, `step_2` and so on. The output of an HTTP request has `status`, `headers` and `body`.',
    definition: {
      trigger: webhookTrigger,
      steps: [
        {
          type: 'PIECE',
          settings: {
            pieceName: '@engine/piece-http',
            actionName: 'send_request',
            input: { method: 'GET', url: 'https://example.com/orders/{{trigger.body.order}}', timeout: 10 },
          },
        },
        respond({ state: '{{step_1.body.state}}' }),
      ],
    },
    sample: { order: 42 },
    mocks: { step_1: { status: 200, headers: {}, body: { state: 'shipped' } } },
    statuses: { step_1: 'MOCKED', step_2: 'SUCCEEDED' },
  },
  {
    title: 'Branch',
    text: 'A step of the type BRANCH has groups of conditions. The steps in `onSuccessAction` run if all conditions of any group are true, otherwise those in `onFailureAction`. Each is a step; more steps follow in its `nextAction`. Then the next step of the definition runs.',
    definition: {
      trigger: webhookTrigger,
      steps: [
        {
          type: 'BRANCH',
          settings: {
            conditions: [
              [
                { firstValue: '{{trigger.body.total}}', operator: 'NUMBER_IS_GREATER_THAN', secondValue: '100' },
                { firstValue: '{{trigger.body.country}}', operator: 'TEXT_EXACTLY_MATCHES', secondValue: 'GB' },
              ],
            ],
          },
          onSuccessAction: respond({ discount: 10 }, 'discount'),
          onFailureAction: respond({ discount: 0 }, 'full_price'),
        },
      ],
    },
    sample: { total: 120, country: 'GB' },
    statuses: { step_1: 'SUCCEEDED', discount: 'SUCCEEDED' },
  },
  {
    title: 'Router',
    text: 'A step of the type ROUTER has several branches with conditions, and a list of steps for each in `children`. With `EXECUTE_FIRST_MATCH`, the first branch whose conditions are true runs, otherwise the fallback; with `EXECUTE_ALL_MATCH`, every such branch. Parley converts it to BRANCH steps.',
    definition: {
      trigger: webhookTrigger,
      steps: [
        {
          type: 'ROUTER',
          settings: {
            executionType: 'EXECUTE_FIRST_MATCH',
            branches: [
              {
                branchName: 'Refund',
                branchType: 'CONDITION',
                conditions: [
                  [{ firstValue: '{{trigger.body.text}}', operator: 'TEXT_CONTAINS', secondValue: 'refund' }],
                ],
              },
              { branchName: 'Other', branchType: 'FALLBACK' },
            ],
          },
          children: [respond({ team: 'billing' }, 'billing'), respond({ team: 'front desk' }, 'front_desk')],
        },
      ],
    },
    sample: { text: 'I want a refund.' },
    statuses: { billing: 'SUCCEEDED' },
  },
  {
    title: 'Loop',
    text: 'A step of the type LOOP_ON_ITEMS runs the step in `firstLoopAction`, and those that follow it in `nextAction`, for each item of a list. There, `{{step_1.item}}` is the item and `{{step_1.index}}` its number, beginning with 1. After the loop, `{{step_1.iterations}}` has the outputs of its steps.',
    definition: {
      trigger: webhookTrigger,
      steps: [
        {
          type: 'LOOP_ON_ITEMS',
          settings: { items: '{{trigger.body.names}}' },
          firstLoopAction: {
            name: 'remember',
            type: 'PIECE',
            settings: {
              pieceName: '@engine/piece-store',
              actionName: 'add_to_list',
              input: { key: 'seen', value: '{{step_1.item}}', ignore_if_exists: true },
            },
          },
        },
        respond({ count: '{{step_1.iterations.length}}' }, 'answer'),
      ],
    },
    sample: { names: ['Ada', 'Grace'] },
    statuses: { step_1: 'SUCCEEDED', answer: 'SUCCEEDED' },
  },
  {
    title: 'Delay',
    text: 'The delay piece waits, also for days and across restarts of the server. A local test does not wait.',
    definition: {
      trigger: webhookTrigger,
      steps: [
        {
          type: 'PIECE',
          settings: {
            pieceName: '@engine/piece-delay',
            actionName: 'delayFor',
            input: { unit: 'hours', delayFor: 2 },
          },
        },
        {
          type: 'PIECE',
          settings: {
            pieceName: '@platform/piece-platform',
            actionName: 'sendSms',
            input: { from: 4, to: '{{trigger.body.phone}}', body: 'How was your visit?' },
          },
        },
      ],
    },
    sample: { phone: '+14155550142' },
    statuses: { step_1: 'SUCCEEDED', step_2: 'NOT_RUN' },
  },
  {
    title: 'Code, and what happens after a failure',
    text: 'A step of the type CODE runs JavaScript with its `input`. With `errorHandlingOptions`, a step of the type CODE or PIECE is tried again after a failure, or does not end the run: `continueOnFailureBranches` has steps for both outcomes, and `{{step_1.error.message}}` is the error.',
    definition: {
      trigger: webhookTrigger,
      steps: [
        {
          type: 'CODE',
          settings: {
            sourceCode: {
              code: 'export const code = async (inputs) => {\n  if (!inputs.name) throw new Error("name is missing")\n  return { greeting: `Hello ${inputs.name}` }\n}',
              packageJson: '{}',
            },
            input: { name: '{{trigger.body.name}}' },
            errorHandlingOptions: { continueOnFailure: { value: true }, retryOnFailure: { value: false } },
          },
          continueOnFailureBranches: {
            onSuccess: respond({ text: '{{step_1.greeting}}' }, 'greet'),
            onFailure: respond({ problem: '{{step_1.error.message}}' }, 'report'),
          },
        },
      ],
    },
    sample: { name: '' },
    statuses: { step_1: 'FAILED', report: 'SUCCEEDED' },
  },
]
