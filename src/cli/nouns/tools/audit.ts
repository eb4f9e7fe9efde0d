import type { AuditRules } from '../../program/resources/audit-rules.ts'

/**
 * What `parley audit` asks about tools. A finding has `detail` as the end of its sentence, which may change, and commands as
 * they can be pasted, which scripts read, too.
 */
export const audit: AuditRules = {
  removeCommand: ({ id }) => `parley tools delete ${id}`,
  unused: ({ headers }) => ({
    detail: `is not used by an assistant${Array.isArray(headers) && headers.length > 0 ? ', and has headers that may hold credentials' : ''}.`,
  }),
  contentOf: ({ type, method, endpoint, body_format, headers, static_fields, schema }) => [
    type,
    method,
    endpoint,
    body_format,
    headers,
    static_fields,
    schema,
  ],
}
