import { isObject } from '../../contract/values/json-object.ts'
import { getOwn } from '../definition/node.ts'
import { fields } from './input-fields.ts'
import { action, done, type Piece } from './piece.ts'

/** Returns the decision of a request to an approval link. A local test, which sends nothing, approves. */
function isApproved(payload: unknown): boolean {
  if (payload === undefined) return true
  const given = [getOwn(payload, 'queryParams'), getOwn(payload, 'body')].find((it) => isObject(it) && 'action' in it)
  return getOwn(given, 'action') === 'approve'
}

/** Waits until a person approves or disapproves with a link, for example one in an email. */
export const approval: Piece = {
  names: ['approval'],
  triggers: {},
  actions: {
    create_approval_links: action({
      title: 'Create approval links',
      isInternal: true,
      input: fields({}),
      run: async (_, { run, ports }) => done(await ports.approvals.createLinks(run)),
    }),
    wait_for_approval: action({
      title: 'Wait for approval',
      isInternal: true,
      input: fields({}),
      run: async (_, { resumed }) =>
        resumed ? done({ approved: isApproved(resumed.payload) }) : { kind: 'pause', until: null },
    }),
  },
}
