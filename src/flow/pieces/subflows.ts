import * as z from '../../contract/schema/schema.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { getOwn } from '../definition/node.ts'
import { anything, fields, flag, fromJson, map } from './input-fields.ts'
import { action, done, type Piece } from './piece.ts'
import type { CallResult } from './ports.ts'
import type { StepOutcome } from './step-context.ts'
import { StepFailure } from './step-failure.ts'

/** Id or name of an automation. Editors store an object with its id instead of a text. */
const automation = z.preprocess(
  (it) => (isObject(it) ? (getOwn(it, 'externalId') ?? getOwn(it, 'id') ?? '') : it),
  z.string({ error: 'must be the name or the id of an automation' }).min(1),
)

/** Returns the outcome of a call that ended. @throws StepFailure if the called run failed or did not respond */
function toOutcome(result: CallResult): StepOutcome {
  if (result.status !== 'success') throw new StepFailure(result.errorMessage)
  return done({ status: result.status, data: result.data })
}

/** Lets automations call others of the same account, and return a response to the caller. */
export const subflows: Piece = {
  names: ['subflows'],
  triggers: {
    callableFlow: { title: 'Called by another automation', kind: 'call', input: fields({ exampleData: anything }) },
  },
  actions: {
    callFlow: action({
      title: 'Call another automation',
      hasSideEffects: true,
      input: fields({
        flow: automation.describe('Name or id of the automation'),
        flowProps: z
          .preprocess((it) => it ?? {}, fields({ payload: anything }))
          .describe('payload, which is {{trigger.data}} there'),
        waitForResponse: flag.describe('Whether the step waits, and returns the response'),
      }),
      async run({ flow, flowProps, waitForResponse }, { account, key, run, testing, resumed, ports }) {
        if (resumed) return toOutcome(resumed.payload as CallResult)
        const call = { automation: flow, data: fromJson(flowProps.payload) ?? {}, caller: run, testing }
        const started = await ports.subflows.start({ account, key }, call, waitForResponse)
        if (!waitForResponse) return done({ runId: started.run })
        return started.result ? toOutcome(started.result) : { kind: 'pause', until: null, call: started.run }
      },
    }),
    returnResponse: action({
      title: 'Return a response to the caller',
      isInternal: true,
      input: fields({ response: map }),
      async run({ response }) {
        const given = Object.hasOwn(response, 'response') ? fromJson(response.response) : response
        const body = given ?? null
        return { kind: 'respond', status: 200, headers: {}, body, stop: false, output: body }
      },
    }),
  },
}
