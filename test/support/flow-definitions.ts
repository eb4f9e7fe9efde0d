/** Triggers and steps in the form of definitions. */
export const hook = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
}
/** Returns an assistant event trigger. */
export const event = (triggerName: string, input: object = {}) => ({
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName: '@platform/piece-platform', triggerName, input },
})
/** Returns a schedule trigger. */
export const every = (triggerName: string, input: object = {}) => ({
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName: '@engine/piece-schedule', triggerName, input },
})
/** Returns a code step. */
export const code = (source: string, input: object = {}) => ({
  type: 'CODE',
  displayName: 'Compute',
  settings: { sourceCode: { code: `export const code = async (inputs) => (${source})`, packageJson: '{}' }, input },
})
/** Returns a response step. */
export const respond = (body: unknown, input: object = {}) => ({
  type: 'PIECE',
  displayName: 'Answer',
  settings: {
    pieceName: '@engine/piece-webhook',
    actionName: 'return_response',
    input: { responseType: 'json', fields: { status: 200, headers: {}, body }, ...input },
  },
})
/** Returns a delay step. */
export const delay = (input: object) => ({
  type: 'PIECE',
  displayName: 'Wait',
  settings: { pieceName: '@engine/piece-delay', actionName: 'delayFor', input },
})
/** Returns an HTTP step. */
export const http = (method: string, url: string, more: object = {}) => ({
  type: 'PIECE',
  displayName: 'Ask',
  settings: {
    pieceName: '@engine/piece-http',
    actionName: 'send_request',
    input: { method, url, headers: {}, queryParams: {}, ...more },
  },
})
/** Returns a step that stores a value. */
export const keep = (key: string, value: unknown) => ({
  type: 'PIECE',
  displayName: 'Keep',
  settings: { pieceName: '@engine/piece-store', actionName: 'put', input: { key, value, store_scope: 'FLOW' } },
})
