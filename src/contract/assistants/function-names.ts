/**
 * Names of the functions that chats give a language model besides tools. Stored messages, cassettes and scenarios of
 * users have them: they never change.
 */
export const functionNames = {
  end: 'end_conversation',
  search: 'search_knowledge_base',
  /** The name of the other assistant follows. */
  transfer: 'transfer_to_',
  /** Each function of a calendar starts with it. */
  calendar: 'calendar_',
} as const

const pattern = new RegExp(
  `^(?:${functionNames.end}|${functionNames.search}|${functionNames.transfer}\\w+|${functionNames.calendar}(?:find|book|move|cancel)_\\w+)(?:_\\d+)?$`,
)

/** Returns whether a function is one of the platform and not a tool. A second one of a name has a number. */
export const isBuiltInFunction = (name: string): boolean => pattern.test(name)
