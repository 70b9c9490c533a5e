/** The error codes of a file system, or of a folder, that takes no hard links. */
export const NO_HARD_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'EACCES',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EMLINK',
])
