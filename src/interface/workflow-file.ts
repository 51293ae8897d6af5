/** A workflow file made ready to be run or started: loaded, checked, its warnings said. */
