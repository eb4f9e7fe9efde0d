import * as z from '../schema/schema.ts'

const Settings = z.looseObject({
  pieceName: z.string().optional().describe('Piece, such as @engine/piece-http'),
  pieceVersion: z.string().optional().describe('Version of the piece'),
  triggerName: z.string().optional().describe('Trigger of the piece'),
  actionName: z.string().optional().describe('Action of the piece'),
  input: z
    .looseObject({})
    .optional()
    .describe("Input of the piece; may reference earlier steps as {{step_1['body']['field']}}"),
})

/**
 * Node of a definition (section 2.10). Undeclared fields are preserved, so that an export comes back unchanged. Rows and files
 * of users have these fields; those with steps are also in walk-steps.ts.
 */
export interface AutomationNode {
  name?: string | undefined
  type?: string | undefined
  displayName?: string | undefined
  valid?: boolean | undefined
  settings?: z.output<typeof Settings> | undefined
  nextAction?: AutomationNode | null | undefined
  onSuccessAction?: AutomationNode | null | undefined
  onFailureAction?: AutomationNode | null | undefined
  firstLoopAction?: AutomationNode | null | undefined
  continueOnFailureBranches?:
    | {
        onSuccess?: AutomationNode | null | undefined
        onFailure?: AutomationNode | null | undefined
        [field: string]: unknown
      }
    | null
    | undefined
  [field: string]: unknown
}

const child = z.lazy(() => AutomationNode.nullable()).optional()

/** The same as a schema. `id` is its name in OpenAPI documents and in the types of the client: it never changes. */
export const AutomationNode: z.ZodType<AutomationNode, AutomationNode> = z
  .looseObject({
    name: z.string().optional().describe('Name, such as trigger or step_1; later steps reference it'),
    type: z.string().optional().describe('PIECE_TRIGGER, PIECE, CODE, BRANCH, LOOP_ON_ITEMS'),
    displayName: z.string().optional().describe('Display name'),
    valid: z.boolean().optional().describe('Whether its settings are complete'),
    settings: Settings.optional().describe('What the node does'),
    nextAction: child.describe('Next step'),
    onSuccessAction: child.describe('First step if the conditions of a branch are true'),
    onFailureAction: child.describe('First step if the conditions of a branch are false'),
    firstLoopAction: child.describe('First step of a loop'),
    continueOnFailureBranches: z
      .looseObject({
        onSuccess: child.describe('First step if the step succeeded'),
        onFailure: child.describe('First step if the step failed'),
      })
      .nullable()
      .optional()
      .describe('Steps of a CODE or PIECE step that continues on failure, which run before the next step'),
  })
  .meta({ id: 'AutomationNode' })

/** Schema of a step in a request. It accepts anything: the engine validates steps, at any depth. */
const untypedStep = z.unknown().meta({ type: 'object' }) as z.ZodType as z.ZodType<AutomationNode, AutomationNode>

/** Definition in a request: `steps`, or nested in `trigger`. All optional: missing parts have codes of section 7.5. */
export const Flow = z.looseObject({
  trigger: untypedStep.optional().describe('Trigger'),
  steps: (
    z.unknown().meta({ type: 'array', items: { type: 'object' } }) as z.ZodType as z.ZodType<
      AutomationNode[],
      AutomationNode[]
    >
  )
    .optional()
    .describe('Steps, chained onto the trigger in order'),
})
export type Flow = z.output<typeof Flow>
