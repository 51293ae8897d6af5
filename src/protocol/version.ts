/** The version of all parts; the daemon and its clients compare it. In a file of its own, for the quickest command there is. */
export const version = "0.1.0";
