import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { maxPerPage } from '../../../contract/values/page-size.ts'
import { previewRequest } from '../connection/send-request.ts'
import { itemShape } from '../output/tables/item-shape.ts'
import type { Target } from '../resources/resource.ts'
import { findInList, resolveForUpdate } from '../updates/previous-record.ts'
import { type Command, command } from './command.ts'

interface GetFromListDefinition extends Omit<Command, 'run'> {
  /** The list. */
  readonly endpoint: Endpoint
  /** How the resource is found, which may depend on the form of the argument. */
  readonly target: Target | ((argument: string | undefined) => Target)
}

/**
 * Creates the command that finds a resource in its list and prints it, for kinds without an endpoint for one of them. It resolves the
 * argument as an update does (previous-record.ts), so that an id or name means the same resource to both.
 */
export const getFromListCommand = ({ target: given, ...definition }: GetFromListDefinition): Command =>
  command({
    // Filters of the list do not apply: the command finds one resource.
    filledFields: Object.keys(definition.endpoint.query?.shape ?? {}),
    ...definition,
    async run(context, { argument }) {
      const target = typeof given === 'function' ? given(argument) : given
      const pages = definition.endpoint.paged ? { per_page: maxPerPage } : {}
      if (await previewRequest(context, definition.endpoint, { ...target.within, ...pages })) return
      const { previous } = await resolveForUpdate(context, argument, target, {
        read: findInList(target),
        isRequired: true,
      })
      await context.out.record(previous as object, itemShape(definition))
    },
  })
