import type { JsonObject } from '../engine/definition/node.ts'

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

/**
 * Examples of every kind of step, for docs/pieces.md. A test runs each and expects its `statuses`. The last one is the file
 * `flow.json` of that page, which is tested with the sample `{"name": "Ada"}`.
 */
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
