/** The version of every part; the daemon and its clients compare it. It has its own file so that `--version` loads nothing else. */
export const version = "0.1.0";
