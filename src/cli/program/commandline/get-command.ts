import { property } from '../../../client/response-body.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { sendRequest } from '../connection/send-request.ts'
import type { Context } from '../context.ts'
import { requestById } from '../input/request-by-id.ts'
import { itemShape } from '../output/tables/item-shape.ts'
import type { Target } from '../resources/resource.ts'
import { type Command, command, type Invocation } from './command.ts'

interface GetDefinition extends Omit<Command, 'run'> {
  readonly endpoint: Endpoint
  readonly target: Target
  /** Changes what is printed, for example to mask secrets (default: the record as the platform returns it). */
  readonly toShown?: (
    context: Context,
    record: ResourceRecord,
    flags: Invocation['flags'],
  ) => ResourceRecord | Promise<ResourceRecord>
}

/** Creates the command that finds a resource by id or name and prints it. */
export const getCommand = ({ target, toShown, ...definition }: GetDefinition): Command =>
  command({
    ...definition,
    async run(context, { argument, flags }) {
      const answer = await requestById(context, argument, target, (id) =>
        sendRequest(context, definition.endpoint, { id }),
      )
      if (!answer) return
      const record = (
        definition.endpoint.record === undefined ? answer : property(answer, definition.endpoint.record)
      ) as ResourceRecord
      await context.out.record(toShown ? await toShown(context, record, flags) : record, itemShape(definition))
    },
  })
