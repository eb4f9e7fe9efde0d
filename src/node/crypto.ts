let loaded: typeof import('node:crypto') | undefined

/** `node:crypto`, loaded at first use: what it brings along takes a short command longer than its own work. */
export const crypto = (): typeof import('node:crypto') => (loaded ??= process.getBuiltinModule('node:crypto'))
