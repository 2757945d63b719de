# CUDA, HIP or C++ of Python kernels, written while a project builds. CMake 3.20 or later.
#
#   find_package(Transpile CONFIG REQUIRED)     # cmake -DTranspile_DIR=$(python -m transpile --cmake-dir)
#   transpile_generate(sources SOURCES kernels.py TARGET cuda)
#   add_library(kernels STATIC ${sources})
#   target_include_directories(kernels PUBLIC ${sources_INCLUDE_DIR})
#
# `transpile_generate` needs nothing of the package beside this file: a project may carry a copy of it, include() it, and
# keep its generated sources checked in. Then whoever builds it needs neither `transpile` nor Python.
#
# TRANSPILE_GENERATE
#   AUTO  sources are written again when a kernel changes, where `transpile` is there; otherwise they are taken as they
#         are found in DESTINATION
#   ON    as AUTO, but `transpile` must be there
#   OFF   sources are taken as they are found
# Python_EXECUTABLE
#   the Python that has `transpile`; by default the one that find_package(Python) or find_package(Python3) finds

include_guard(GLOBAL)
cmake_policy(PUSH)
cmake_policy(VERSION 3.20)

set(TRANSPILE_GENERATE AUTO CACHE STRING "Whether Python kernels are transpiled while building: AUTO, ON or OFF")
set_property(CACHE TRANSPILE_GENERATE PROPERTY STRINGS AUTO ON OFF)

# transpile_generate(<sources> SOURCES <file.py>... TARGET <cuda|hip|cpu>
#                    [DESTINATION <folder>] [LINES <comment|directive|none>] [INSTANCES <kernel:parameter=values>...])
#
# Sets <sources> to STEM.cu, STEM.hip or STEM.cpp and STEM.h of each file, and <sources>_INCLUDE_DIR to their folder:
# DESTINATION, or a folder of the target's in the build tree. Relative paths are as for add_custom_command: of a source in
# the source tree, of DESTINATION in the build tree. Sources are written again when a file changes that they were made
# from, those that the kernels import from too.
function(transpile_generate sources)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGET;DESTINATION;LINES" "SOURCES;INSTANCES")
    _transpile_check_arguments(transpile_generate "SOURCES;TARGET")
    _transpile_suffix(transpile_generate "${arg_TARGET}" suffix)
    _transpile_command(transpile command)
    if(NOT arg_DESTINATION)
        set(arg_DESTINATION transpile-${arg_TARGET})
    endif()
    cmake_path(ABSOLUTE_PATH arg_DESTINATION BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
    _transpile_options(options)

    set(found)
    foreach(file IN LISTS arg_SOURCES)
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
        cmake_path(GET file STEM LAST_ONLY stem)
        set(kernels "${arg_DESTINATION}/${stem}${suffix}")
        set(header "${arg_DESTINATION}/${stem}.h")
        if(kernels IN_LIST found)
            message(FATAL_ERROR "transpile_generate: two of the sources would both be written as ${kernels}")
        endif()
        list(APPEND found "${kernels}" "${header}")
        _transpile_set_language(${arg_TARGET} "${kernels}")
        if(command)
            _transpile_emit("${file}" "${kernels}" "${header}")
        else()
            _transpile_need_files("${file}" "${kernels}" "${header}")
        endif()
    endforeach()
    set(${sources} ${found} PARENT_SCOPE)
    set(${sources}_INCLUDE_DIR "${arg_DESTINATION}" PARENT_SCOPE)
endfunction()

# transpile_add_module(<name> <file.py> TARGET <cuda|hip|cpu>
#                      [DESTINATION <folder>] [LINES <comment|directive|none>] [INSTANCES <kernel:parameter=values>...])
#
# Adds the library <name>: the Python extension of the file's kernels, which needs neither `transpile` nor a compiler to
# run. STEM.h and the kernels, <name>.cpp and <name>.pyi are in DESTINATION, or in a folder of the module's in the build
# tree. Needs the headers of Python and of pybind11.
function(transpile_add_module name file)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "TARGET;DESTINATION;LINES" "INSTANCES")
    _transpile_check_arguments(transpile_add_module "TARGET")
    _transpile_suffix(transpile_add_module "${arg_TARGET}" suffix)
    _transpile_command(transpile command)
    if(NOT arg_DESTINATION)
        set(arg_DESTINATION ${name}-sources)
    endif()
    cmake_path(ABSOLUTE_PATH arg_DESTINATION BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    cmake_path(GET file STEM LAST_ONLY stem)
    _transpile_options(options)

    set(kernels "${arg_DESTINATION}/${stem}${suffix}")
    set(table "${arg_DESTINATION}/${name}.cpp")
    _transpile_set_language(${arg_TARGET} "${kernels}")
    if(command)
        _transpile_depfile("${kernels}" depfile)
        set(rest "${arg_DESTINATION}/${stem}.h" "${arg_DESTINATION}/${name}.pyi")
        add_custom_command(
            OUTPUT "${kernels}" "${table}" ${rest}
            COMMAND ${command} build "${file}" --sources-only --target ${arg_TARGET} --name ${name}
                    -o "${arg_DESTINATION}" --depfile "${depfile}" ${options}
            DEPENDS "${file}" "${transpile}"
            DEPFILE "${depfile}"
            COMMENT "Transpiling ${stem}.py for ${arg_TARGET}"
            VERBATIM)
    else()
        _transpile_need_files("${file}" "${kernels}" "${table}" "${arg_DESTINATION}/${stem}.h")
    endif()
    if(arg_TARGET STREQUAL "cpu")
        # No value depends on these: nobody looks at traps and errno.
        set_source_files_properties("${kernels}" PROPERTIES COMPILE_OPTIONS
            "$<$<NOT:$<CONFIG:Debug>>:-O3>;-ffp-contract=off;-fno-trapping-math;-fno-math-errno")
    endif()
    _transpile_engine(runtime)
    Python_add_library(${name} MODULE WITH_SOABI "${kernels}" "${table}" $<TARGET_OBJECTS:transpile_engine>)
    target_compile_features(${name} PRIVATE cxx_std_17)
    target_include_directories(${name} PRIVATE "${arg_DESTINATION}" "${runtime}/include")
    # An extension calls its own functions, whatever else the process has loaded under their names, and shows nothing but
    # them and its start. Their names begin with the file's, in which what looks like an escaped letter is escaped.
    set(prefix "${stem}")
    if(stem MATCHES "_u[0-9a-f]+_")
        string(REGEX REPLACE "_(u[0-9a-f])" "_u5f_\\1" prefix "${stem}")
    endif()
    set(exports "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.exports")
    file(CONFIGURE OUTPUT "${exports}" CONTENT "{ global: PyInit_${name}; ${prefix}_*; local: *; };\n")
    target_link_options(${name} PRIVATE LINKER:-Bsymbolic "LINKER:--version-script=${exports}" LINKER:--gc-sections)
    target_link_libraries(${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

# ------------------------------------------------------------------------------------------------------------- arguments

# Stops where an argument is left over or one of `needed` is missing.
macro(_transpile_check_arguments caller needed)
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "${caller}: these arguments are not understood: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    foreach(each IN ITEMS ${needed})
        if(NOT arg_${each})
            message(FATAL_ERROR "${caller}: ${each} is missing")
        endif()
    endforeach()
endmacro()

# Sets `suffix` to that of the target's sources.
function(_transpile_suffix caller target suffix)
    set(suffix_of_cuda .cu)
    set(suffix_of_hip .hip)
    set(suffix_of_cpu .cpp)
    if(NOT DEFINED "suffix_of_${target}")
        message(FATAL_ERROR "${caller}: TARGET ${target}: choose cuda, hip or cpu")
    endif()
    set(${suffix} ${suffix_of_${target}} PARENT_SCOPE)
endfunction()

# Sets `options` to the command line's, of the arguments LINES and INSTANCES of the caller.
function(_transpile_options options)
    set(found)
    if(arg_LINES)
        list(APPEND found --lines "${arg_LINES}")
    endif()
    foreach(each IN LISTS arg_INSTANCES)
        list(APPEND found --instance "${each}")
    endforeach()
    set(${options} ${found} PARENT_SCOPE)
endfunction()

# CMake passes over a source whose language is not enabled: better to stop. hipcc, as the C++ compiler, is told.
function(_transpile_set_language target kernels)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(target STREQUAL "cuda" AND NOT "CUDA" IN_LIST languages)
        message(FATAL_ERROR "TARGET cuda: add CUDA to the project's languages: enable_language(CUDA)")
    elseif(target STREQUAL "hip" AND NOT "HIP" IN_LIST languages)
        cmake_path(GET CMAKE_CXX_COMPILER STEM compiler)
        if(NOT compiler STREQUAL "hipcc")
            message(FATAL_ERROR "TARGET hip: add HIP to the project's languages, enable_language(HIP), or take hipcc as "
                "the C++ compiler: -DCMAKE_CXX_COMPILER=hipcc")
        endif()
        set(architectures ${CMAKE_HIP_ARCHITECTURES})
        list(TRANSFORM architectures PREPEND --offload-arch=)
        set_source_files_properties("${kernels}" PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "${architectures};-x;hip")
    elseif(target STREQUAL "cpu" AND NOT "CXX" IN_LIST languages)
        message(FATAL_ERROR "TARGET cpu: add CXX to the project's languages: enable_language(CXX)")
    endif()
endfunction()

# ------------------------------------------------------------------------------------------------------------ generating

# Adds the rule that writes the kernels, and the header unless another target's rule does: it is the same for all.
function(_transpile_emit file kernels header)
    set(made "${kernels}")
    get_property(headers DIRECTORY PROPERTY TRANSPILE_HEADERS)
    if(NOT header IN_LIST headers)
        set_property(DIRECTORY APPEND PROPERTY TRANSPILE_HEADERS "${header}")
        list(APPEND made "${header}")
        list(APPEND options --header "${header}")
    endif()
    file(MAKE_DIRECTORY "${arg_DESTINATION}")
    cmake_path(GET kernels FILENAME shown)
    _transpile_depfile("${kernels}" depfile)
    add_custom_command(
        OUTPUT ${made}
        COMMAND ${command} emit ${arg_TARGET} "${file}" -o "${kernels}" --depfile "${depfile}" ${options}
        DEPENDS "${file}" "${transpile}"
        DEPFILE "${depfile}"
        COMMENT "Transpiling ${shown}"
        VERBATIM)
endfunction()

# Sets `depfile` to where the rule of `made` tells what it read.
function(_transpile_depfile made depfile)
    string(SHA1 name "${made}")
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles")
    set(${depfile} "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/transpile-${name}.d" PARENT_SCOPE)
endfunction()

# Stops unless the files, which nothing here can make, are there.
function(_transpile_need_files file)
    foreach(made IN LISTS ARGN)
        if(NOT EXISTS "${made}")
            get_property(why GLOBAL PROPERTY TRANSPILE_MISSING)
            message(FATAL_ERROR "${made} is not there, and cannot be made from ${file}: ${why}")
        endif()
    endforeach()
endfunction()

# Finds Python, the one that the project has found by find_package(Python3) if that is all that it has.
macro(_transpile_python)
    if(NOT Python_EXECUTABLE AND Python3_EXECUTABLE)
        set(Python_EXECUTABLE "${Python3_EXECUTABLE}")
    endif()
    find_package(Python ${ARGN})
endmacro()

# Sets `command` to what starts `transpile`, to nothing where sources are taken as they are, and `stamp` to a file that
# changes when another `transpile` is installed.
function(_transpile_command stamp command)
    get_property(is_known GLOBAL PROPERTY TRANSPILE_COMMAND SET)
    if(NOT is_known)
        _transpile_find()
    endif()
    get_property(found GLOBAL PROPERTY TRANSPILE_COMMAND)
    set(${command} ${found} PARENT_SCOPE)
    set(${stamp} "${CMAKE_BINARY_DIR}/CMakeFiles/transpile.txt" PARENT_SCOPE)
endfunction()

function(_transpile_find)
    set(found)
    set(why "TRANSPILE_GENERATE is OFF")
    if(TRANSPILE_GENERATE)
        _transpile_python(QUIET COMPONENTS Interpreter)
        if(Python_Interpreter_FOUND)
            execute_process(COMMAND "${Python_EXECUTABLE}" -m transpile --version
                RESULT_VARIABLE status OUTPUT_VARIABLE version ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
            set(why "${Python_EXECUTABLE} has no package `transpile` (pip install transpile, or set Python_EXECUTABLE)")
        else()
            set(why "there is no Python")
            set(status 1)
        endif()
        if(status EQUAL 0)
            set(found "${Python_EXECUTABLE}" -m transpile)
            file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/CMakeFiles/transpile.txt" CONTENT "${found}: ${version}\n")
            message(STATUS "Found ${version}: ${Python_EXECUTABLE}")
        elseif(NOT TRANSPILE_GENERATE STREQUAL "AUTO")
            message(FATAL_ERROR "TRANSPILE_GENERATE is ${TRANSPILE_GENERATE}, and ${why}")
        else()
            message(STATUS "Generated sources are taken as they are: ${why}")
        endif()
    endif()
    set_property(GLOBAL PROPERTY TRANSPILE_COMMAND "${found}")
    set_property(GLOBAL PROPERTY TRANSPILE_MISSING "${why}")
endfunction()

# ---------------------------------------------------------------------------------------------------------------- modules

# Adds the library `transpile_engine`, what every module holds beside its kernels, and sets `runtime` to the folder of its
# sources, which come with the package. Makes Python_add_library and Threads::Threads known.
macro(_transpile_engine runtime)
    _transpile_python(REQUIRED COMPONENTS Interpreter Development.Module)
    find_package(Threads REQUIRED)
    cmake_path(SET ${runtime} NORMALIZE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../runtime_cpp")
    if(NOT TARGET transpile_engine)
        _transpile_add_engine("${${runtime}}")
    endif()
endmacro()

function(_transpile_add_engine runtime)
    if(NOT EXISTS "${runtime}/engine.cpp")
        message(FATAL_ERROR "transpile_add_module: the package's C++ is not at ${runtime}: take TranspileConfig.cmake from "
            "where `python -m transpile --cmake-dir` says, not a copy")
    endif()
    execute_process(COMMAND "${Python_EXECUTABLE}" -c "import pybind11; print(pybind11.get_include())"
        RESULT_VARIABLE status OUTPUT_VARIABLE pybind11 ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "transpile_add_module: ${Python_EXECUTABLE} has no package pybind11 (pip install pybind11)")
    endif()
    add_library(transpile_engine OBJECT "${runtime}/engine.cpp")
    target_compile_features(transpile_engine PRIVATE cxx_std_17)
    # For size: sections of their own, so that the linker can leave out what nobody calls.
    target_compile_options(transpile_engine PRIVATE $<$<NOT:$<CONFIG:Debug>>:-Os> -ffunction-sections -fdata-sections)
    target_include_directories(transpile_engine PRIVATE "${runtime}/include")
    target_include_directories(transpile_engine SYSTEM PRIVATE "${pybind11}")
    target_link_libraries(transpile_engine PRIVATE Python::Module)
    set_target_properties(transpile_engine PROPERTIES CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
endfunction()

cmake_policy(POP)
