/** Steps a definition may have. */
export const maxSteps = 500
/** Branches and loops that may stand in one another. */
export const maxNesting = 30
/** How deep a step's own settings may go. */
export const maxValueDepth = 64
/** Characters of a name, for machines or for people. */
export const maxName = 255
/** Bytes of a whole definition. */
export const maxBytes = 1024 * 1024
/** Problems that are told of at once. */
export const maxProblems = 100
