/** The version of daemon and clients, which compare it. It has its own file so that `--version` loads nothing else. */
export const version = "0.1.0";
