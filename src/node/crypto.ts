let loaded: typeof import('node:crypto') | undefined

/** Returns `node:crypto`, loaded on first use because loading takes longer than the rest of a short command. */
export const crypto = (): typeof import('node:crypto') => (loaded ??= process.getBuiltinModule('node:crypto'))
