# cmake -DFILE=... -DOUT=... -DNAME=... -P EmbedFile.cmake: writes a C++ header with the bytes of a file.
file(READ "${FILE}" hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
file(WRITE "${OUT}" "#pragma once\ninline constexpr unsigned char ${NAME}[] = {${bytes}};\n")
