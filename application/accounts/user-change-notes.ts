/** What a change of a user by an operator has done, in words, by its command. */
export const USER_CHANGE_NOTES = {
  disable: 'Disabled: sign-in is blocked, and all sessions have ended.',
  enable: 'Enabled: the user can sign in again. Ended sessions stay ended.',
  remove: 'Removed: all sessions have ended, and the e-mail can be registered again.',
  'end-sessions': 'All sessions of the user have ended.',
  'reset-factors': 'The user has no second factor, and all sessions have ended.',
} as const
