// A C target must have a source file; its functions are inline, in the header.
#include "cfetchedresultssupport.h"
