/** Aliases of verbs, the same for every noun. */
export const aliasesOf = {
  list: { aliases: ['ls'] },
  get: { aliases: ['show', 'view', 'describe'] },
  create: { aliases: ['add', 'new'] },
  delete: { aliases: ['rm', 'remove'] },
} as const
