# Defines for find_package(tracepress) the targets tracepress::tracepress (shared library) and, if the static library is
# installed, tracepress::static. All paths are relative to this file.
get_filename_component(_tracepress_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
include(CMakeFindDependencyMacro)
find_dependency(Threads)

if(NOT TARGET tracepress::tracepress)
  add_library(tracepress::tracepress SHARED IMPORTED)
  set_target_properties(tracepress::tracepress PROPERTIES
    IMPORTED_LOCATION "${_tracepress_prefix}/lib/libtracepress.so.0"
    IMPORTED_SONAME "libtracepress.so.0"
    INTERFACE_INCLUDE_DIRECTORIES "${_tracepress_prefix}/include")
endif()

if(NOT TARGET tracepress::static AND EXISTS "${_tracepress_prefix}/lib/libtracepress.a")
  add_library(tracepress::static STATIC IMPORTED)
  set_target_properties(tracepress::static PROPERTIES
    IMPORTED_LOCATION "${_tracepress_prefix}/lib/libtracepress.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_tracepress_prefix}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;dl;rt;m")
endif()
unset(_tracepress_prefix)
