/**
 * Sources that the platform sets itself: a reply of the contact, a request without a source, and hours that never open. Rows
 * have them: a reply to opt in removes only a block whose source is `reply`.
 */
export const contactSources = { reply: 'reply', request: 'api', hours: 'contact-hours' } as const
