/** The description of `email_verified` in responses. */
export const EMAIL_VERIFIED = 'Whether the user proved to receive mail at this e-mail.'
